import { createHash } from "node:crypto";
import { watch } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Tool } from "../protocol/tool.ts";
import { importTool, toolFiles } from "./tool-files.ts";

/** Some file systems report no changes, so the folder is also looked at this often. */
const POLL_MS = 2_000;
/** An editor's save is several events; one look after them is enough. */
const SETTLE_MS = 50;
/** A file that fails may be half-written: it is tried again after these pauses before anybody is told. */
const RETRY_PAUSES_MS = [150, 400];

export interface UserTool {
  tool: Tool;
  file: string;
}

interface LoadedFile {
  /** Changes with the file. */
  signature: string;
  /** The last version that could be loaded. */
  tool: Tool | undefined;
}

/**
 * Keeps the tools of a folder as its files come, change and go. `onTools` gets all of them, once before this resolves
 * and then at each change. A broken file keeps the last version that worked and is reported in one line.
 *
 * User tools run in this process, with all its rights: who can write to the folder can do whatever the server can.
 */
export async function watchUserTools(
  directory: string | undefined,
  onProblem: (line: string) => void,
  onTools: (tools: UserTool[]) => void,
): Promise<{ close(): void }> {
  if (directory === undefined) {
    onTools([]);
    return { close() {} };
  }
  const folder = directory;
  const loaded = new Map<string, LoadedFile>();
  let closed = false;
  let version = 0;

  async function load(file: string, pauses: readonly number[]): Promise<boolean> {
    const previous = loaded.get(file);
    for (let attempt = 0; ; attempt++) {
      const signature = await signatureOf(file);
      if (signature === undefined || closed || signature === previous?.signature) return false;
      try {
        const tool = await importTool(file, `${process.pid}-${Date.now()}-${version++}`);
        if (signature !== (await signatureOf(file))) throw new Error("it is still being written");
        loaded.set(file, { signature, tool: { ...tool, version: await contentHash(file) } });
        return true;
      } catch (error) {
        const pause = pauses[attempt];
        if (pause !== undefined) {
          await new Promise((resolve) => setTimeout(resolve, pause));
          continue;
        }
        loaded.set(file, { signature, tool: previous?.tool });
        onProblem(problemOf(file, error, previous?.tool !== undefined));
        return false;
      }
    }
  }

  async function look(pauses: readonly number[]): Promise<boolean> {
    const files = (await readUserFolder(folder)).map(({ file }) => file);
    const results = await Promise.all(files.map((file) => load(file, pauses)));
    const gone = [...loaded.keys()].filter((file) => !files.includes(file));
    for (const file of gone) loaded.delete(file);
    return gone.length > 0 || results.includes(true);
  }

  function publish() {
    const tools = [...loaded].sort(([left], [right]) => (left < right ? -1 : 1));
    onTools(tools.flatMap(([file, { tool }]) => (tool ? [{ file, tool }] : [])));
  }

  await look([]);
  publish();

  // One look at a time; what happens meanwhile asks for one more.
  let looking = false;
  let again = false;
  async function lookAgain() {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    try {
      do {
        again = false;
        const changed = await look(RETRY_PAUSES_MS);
        if (changed && !closed) publish();
      } while (again && !closed);
    } catch (error) {
      onProblem(`The folder of user tools cannot be read: ${messageOf(error)}.`);
    } finally {
      looking = false;
    }
  }

  const notice = watchFolder(folder, () => void lookAgain());
  const poll = setInterval(() => {
    notice.start();
    void lookAgain();
  }, POLL_MS);
  poll.unref();
  return {
    close() {
      closed = true;
      clearInterval(poll);
      notice.close();
    },
  };
}

/** Tells of changes in a folder, as soon as the folder is there; the poll covers what it cannot see. */
function watchFolder(folder: string, onChange: () => void): { start(): void; close(): void } {
  let watcher: ReturnType<typeof watch> | undefined;
  let settle: NodeJS.Timeout | undefined;
  function stop() {
    watcher?.close();
    watcher = undefined;
  }
  function start() {
    if (watcher) return;
    try {
      watcher = watch(folder, { persistent: false }, () => {
        clearTimeout(settle);
        settle = setTimeout(onChange, SETTLE_MS);
      });
      watcher.on("error", stop);
    } catch {
      // No such folder yet, or no watches left: the poll still sees every change.
    }
  }
  start();
  return {
    start,
    close() {
      clearTimeout(settle);
      stop();
    },
  };
}

async function readUserFolder(folder: string) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return toolFiles(
      folder,
      entries.filter((entry) => !entry.isDirectory()),
    );
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The same on every instance that has the same file, whenever it was written. */
async function contentHash(file: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
}

async function signatureOf(file: string): Promise<string | undefined> {
  try {
    const facts = await stat(file);
    return facts.isFile() ? `${facts.ino}:${facts.size}:${facts.mtimeMs}` : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function problemOf(file: string, error: unknown, kept: boolean): string {
  const consequence = kept ? "The last version that worked stays in use." : "It is not loaded.";
  return `The user tool ${basename(file)} cannot be used: ${messageOf(error)}. ${consequence}`;
}

/** The first line: what follows in a syntax error is an excerpt of the file. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split("\n")[0] ?? "").replace(/\.$/, "").slice(0, 300);
}
