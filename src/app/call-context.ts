import { mkdirSync } from "node:fs";
import { detectSandbox } from "../contain/command/detect.ts";
import { keepClosed } from "../contain/paths-folder.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Sandbox, ToolContext } from "../protocol/tool.ts";
import type { Config } from "./config.ts";

/** What every call finds around it, whoever makes it. */
export interface Surroundings {
  sandbox: Sandbox;
  /** `chatModel` is the model of the run, where the call belongs to one. */
  contextFor(principal: Principal, chatModel?: string): SurroundingContext;
}

export type SurroundingContext = Pick<
  ToolContext,
  | "principal"
  | "roots"
  | "fetchAllow"
  | "sandbox"
  | "protectedPaths"
  | "now"
  | "spending"
  | "askModel"
  | "artifacts"
  | "files"
  | "setting"
  | "secret"
>;

/** Finds out how commands can be confined here, and closes our own folders to every tool. */
export async function findSurroundings(config: Config): Promise<Surroundings> {
  const protectedPaths = [...new Set([config.dataDir, config.toolsDir])];
  for (const folder of protectedPaths) {
    // One that is not there yet could otherwise be made by a tool.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await keepClosed(folder);
  }
  const unsafe = config.settings.TACKLE_UNSAFE_COMMANDS === "1";
  const sandbox: Sandbox =
    config.roots.length > 0
      ? await detectSandbox({ unsafe })
      : { tier: "none", detail: "There is no folder to run commands in.", improve: "Set TACKLE_ROOTS." };
  return {
    sandbox,
    contextFor: (principal) => ({
      principal,
      roots: config.roots,
      fetchAllow: config.fetchAllow,
      sandbox,
      protectedPaths,
      now: () => new Date(),
    }),
  };
}
