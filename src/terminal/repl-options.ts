import type { AllowRule } from "./allow-rule.ts";
import type { SlashCommand } from "./commands.ts";
import type { PromptHistory } from "./history.ts";
import type { KeyInput } from "./keys.ts";

/** How a chat at the terminal begins. */
export interface ReplOptions {
  /** Rejects if the chat cannot be opened. The prompt then goes away. */
  opening?: Promise<unknown> | undefined;
  model?: string;
  /** The session to continue: its id, or "last". */
  resume?: string | "last";
  /** The first message. */
  message?: string;
  allow?: AllowRule[];
  /** Where commands run, if that is on this machine. */
  directory?: string;
  version?: string;
  history?: PromptHistory;
  /** Commands of the person's own and of the project. */
  ownCommands?(folder: string): Promise<SlashCommand[]>;
  input?: KeyInput;
  output?: NodeJS.WriteStream;
}
