import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";
import filesystem from "../filesystem/index.ts";
import { toolContext } from "./context.ts";

/** A folder for tests of the filesystem tool. */
export interface Workspace {
  root: string;
  context: ToolContext;
  /** Writes files, by path. */
  put(files: Record<string, string | Uint8Array>): Promise<void>;
  use(args: Record<string, unknown>, context?: Partial<ToolContext>): Promise<ToolOutput>;
  textOf(args: Record<string, unknown>): Promise<string>;
  onDisk(path: string): Promise<string>;
  bytesOnDisk(path: string): Promise<Buffer>;
  remove(): Promise<void>;
}

export async function createWorkspace(files: Record<string, string | Uint8Array> = {}): Promise<Workspace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "workspace-")));
  const context = toolContext({ roots: [root], sessionId: root });
  const workspace: Workspace = {
    root,
    context,
    async put(more) {
      for (const [path, content] of Object.entries(more)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), content);
      }
    },
    async use(args, change = {}) {
      const parsed = filesystem.parse(args);
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
      return filesystem.run(parsed.value, { ...context, ...change });
    },
    textOf: async (args) => (await workspace.use(args)).output,
    onDisk: (path) => readFile(join(root, path), "utf8"),
    bytesOnDisk: (path) => readFile(join(root, path)),
    remove: () => rm(root, { recursive: true }),
  };
  await workspace.put(files);
  return workspace;
}
