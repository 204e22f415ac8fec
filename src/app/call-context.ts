import { join } from "node:path";
import { detectSandbox } from "../contain/command/detect.ts";
import { removeHomes } from "../contain/command/homes.ts";
import { createCommandServices } from "../contain/command-services.ts";
import { keepClosed } from "../contain/paths-folder.ts";
import type { CallContexts } from "../protocol/call-context.ts";
import type { Sandbox } from "../protocol/tool.ts";
import { badSetting } from "./bad-setting.ts";
import type { Closing } from "./closing.ts";
import type { Config } from "./config.ts";
import { createFolder } from "./data-directory.ts";
import { createRootsOf, ownFolder } from "./own-roots.ts";

/** Detects the command sandbox, and closes our own folders to every tool. */
export async function createCallContexts(
  config: Config,
  closing: Closing,
  isKept: (sessionId: string) => Promise<boolean>,
): Promise<CallContexts> {
  const protectedPaths = [...new Set([config.dataDir, config.toolsDir])];
  for (const folder of protectedPaths) {
    // Otherwise a tool could create a folder that does not exist yet.
    createOurs(folder);
    closing.add(await keepClosed(folder));
  }
  const unsafe = config.settings.TACKLE_UNSAFE_COMMANDS === "1";
  const sandbox: Sandbox =
    config.roots.length > 0
      ? await detectSandbox({ unsafe })
      : { tier: "none", detail: "There is no folder to run commands in.", improve: "Set TACKLE_ROOTS." };
  const commands = createCommandServices({
    sandbox,
    dataDir: config.dataDir,
    closed: protectedPaths,
    env: config.settings,
    hosts: config.sandboxHosts,
    isKept,
  });
  closing.add(() => commands.close());
  const rootsOf = config.roots.length > 0 ? createRootsOf(config) : undefined;
  return {
    sandbox,
    background: commands.background,
    removeHomes: (userId) =>
      removeHomes(join(config.dataDir, "homes"), userId, [
        ...config.roots,
        ...config.roots.slice(0, 1).map((root) => ownFolder(root, userId)),
      ]),
    rootsOf,
    contextFor: (principal) => ({
      principal,
      roots: rootsOf?.(principal) ?? [],
      fetchAllow: config.fetchAllow,
      sandbox,
      commands,
      protectedPaths,
      now: () => new Date(),
    }),
  };
}

function createOurs(folder: string): void {
  try {
    createFolder(folder);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw badSetting("TACKLE_TOOLS_DIR", `the folder ${folder} cannot be created (${code})`);
  }
}
