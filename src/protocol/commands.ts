import { parseObject } from "./json.ts";
import type { Principal } from "./principal.ts";

/** What commands of one person get besides the open folders. All paths are absolute and free of links. */
export interface CommandProfile {
  /** Their home folder, with the caches of package managers. It lies outside of the open folders. */
  readonly home: string;
  /** A file with the person's safe Git settings. */
  readonly gitConfig?: string;
  /** The folders of the person's search path, in order. */
  readonly searchPath: readonly string[];
  /** Files and folders that programs in the search path need. */
  readonly programs: readonly string[];
  /** Where some of these programs look for their parts. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A network that commands of one session share: they reach each other, and the allowed hosts through a proxy. */
export interface CommandNetwork {
  /** Descriptors of the user and the network namespace. */
  readonly namespaces: readonly [user: number, network: number];
  /** Tell programs where the proxy is. */
  readonly variables: Readonly<Record<string, string>>;
  /** Returns the hosts that were refused since the last call, as `host:port`. */
  takeDenied(): string[];
  /** Must be called when the command has ended. */
  release(): Promise<void>;
}

/** Whose command it is, and where it may work. A tool's context has all of it. */
export interface CommandCaller {
  readonly principal: Principal;
  readonly sessionId: string | undefined;
  readonly runId: string | undefined;
  readonly roots: readonly string[];
  readonly protectedPaths?: readonly string[];
}

/** One command to run. */
export interface CommandOrder {
  readonly command: string;
  /** A folder inside the roots. */
  readonly cwd: string;
  readonly timeoutMs: number;
  /** It can change nothing, and reaches no network. */
  readonly readOnly?: boolean;
  readonly signal: AbortSignal;
  onOutput?(stream: "stdout" | "stderr", text: string): void;
}

/** A command to run in the background. */
export interface BackgroundOrder extends Omit<CommandOrder, "signal" | "timeoutMs"> {
  /** Called when it has ended. What it returns is told with its end. */
  atEnd?(): Promise<string | undefined>;
}

/** A command that continues in the background. */
export interface BackgroundCommand {
  commandId: string;
  command: string;
  state: "running" | "exited" | "stopped";
  startedAt: string;
  endedAt?: string;
  exitCode?: number;
  /** Why it was stopped, or what it has left behind. */
  reason?: string;
}

/** What a background command has printed since a position. */
export interface BackgroundOutput extends BackgroundCommand {
  output: string;
  /** Where to continue reading. */
  next: number;
}

/** The commands of all sessions that continue in the background. Every method sees one session only. */
export interface BackgroundCommands {
  start(caller: CommandCaller, order: BackgroundOrder): Promise<BackgroundCommand>;
  list(sessionId: string): BackgroundCommand[];
  /** Throws NOT_FOUND. Waits for new output, or for the end, as long as it is told to. */
  output(
    sessionId: string,
    commandId: string,
    options: { since?: number; waitMs?: number; signal?: AbortSignal },
  ): Promise<BackgroundOutput>;
  /** Resolves when no process of it is left. Throws NOT_FOUND. */
  stop(sessionId: string, commandId: string): Promise<BackgroundCommand>;
  /** Returns a sentence for each command that has ended since the model was last told. */
  takeNotices(sessionId: string): string[];
  /** Stops the commands of a session that was deleted. */
  endSession(sessionId: string): Promise<void>;
  /** Stops the commands of a run that another process works on now. */
  endRun(runId: string): Promise<void>;
}

/** What commands need besides the sandbox. */
export interface CommandServices {
  /** The hosts that commands may reach, as the settings name them. */
  readonly hosts: readonly string[];
  profileFor(caller: CommandCaller): Promise<CommandProfile>;
  /** The network for a command, or undefined if it has one of its own with nothing in it. */
  networkFor(caller: CommandCaller, needed: boolean): Promise<CommandNetwork | undefined>;
  readonly background: BackgroundCommands;
}

/** What a command printed, and how it ended if that was not well. */
export interface CommandResult {
  printed: string;
  exitCode: number;
  /** Why it was stopped. */
  stopped?: string;
}

/** How a command of `execute_command` ended if that was not well: why it was stopped, or its exit code as a number. */
export function failedEnd(toolName: string, output: string | undefined): string | number | undefined {
  const result = toolName === "execute_command" && output !== undefined ? commandResult(output) : undefined;
  return result?.stopped ?? (result?.exitCode || undefined);
}

/** Reads the JSON that `execute_command` returns. Returns undefined for anything else. */
export function commandResult(output: string): CommandResult | undefined {
  const { exit_code: exitCode, stdout, stderr, stopped } = parseObject(output) ?? {};
  if (typeof exitCode !== "number" || typeof stdout !== "string" || typeof stderr !== "string") return;
  const printed = [stdout, stderr].map((part) => part.trimEnd()).filter(Boolean);
  return { printed: printed.join("\n"), exitCode, ...(typeof stopped === "string" ? { stopped } : {}) };
}
