import type { BackgroundCommands } from "./commands.ts";
import type { Principal } from "./principal.ts";
import type { Sandbox, ToolContext } from "./tool.ts";

/** Makes the part of a tool's context that does not depend on the call. */
export interface CallContexts {
  sandbox: Sandbox;
  /** Commands that continue in the background. */
  background?: BackgroundCommands;
  /** `chatModel` is the model of the run, if the call belongs to one. */
  contextFor(principal: Principal, chatModel?: string): CallContext;
  /** The folders in which a person's tools may work. Missing if there are none. */
  rootsOf?(principal: Principal): readonly string[];
  /** Removes what a person's commands have left outside of their folders. */
  removeHomes?(userId: string): Promise<void>;
}

/** What every call gets, for every caller. */
export type CallContext = Pick<
  ToolContext,
  | "principal"
  | "roots"
  | "fetchAllow"
  | "audit"
  | "sandbox"
  | "commands"
  | "protectedPaths"
  | "now"
  | "spending"
  | "askModel"
  | "artifacts"
  | "files"
  | "setting"
  | "secret"
>;
