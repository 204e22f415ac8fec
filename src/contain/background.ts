import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type {
  BackgroundCommand,
  BackgroundCommands,
  BackgroundOrder,
  BackgroundOutput,
  CommandCaller,
  CommandOrder,
} from "../protocol/commands.ts";
import { Failure } from "../protocol/failure.ts";
import type { Entry } from "./background-entry.ts";
import { fail, finish, noticeOf, readKept, shown, stopEntry } from "./background-entry.ts";
import { isRunning } from "./command/cgroup.ts";
import { createKeptOutput } from "./command/kept-output.ts";
import type { ContainedResult } from "./command.ts";

/** Commands of one session that may run at the same time. */
export const MOST_RUNNING = 8;
/** After this time a command is stopped. */
export const MAX_AGE_MS = 12 * 60 * 60_000;
/** Ended commands of a session whose output stays readable. */
const MOST_ENDED = 8;
const POLL_MS = 100;
const COMMAND_ID = /^cmd_[\w-]{1,40}$/;

/** Runs a command to its end and hands over what it prints. */
export type RunInBackground = (
  caller: CommandCaller,
  order: CommandOrder & { onBytes(chunk: Buffer): void },
) => Promise<ContainedResult>;

/** Keeps commands running beyond their call. They end with their session, with the process, and at the latest after half a day. */
export class Background implements BackgroundCommands {
  readonly #entries = new Map<string, Entry>();
  readonly #run: RunInBackground;
  readonly #folder: string;
  #closed = false;

  /** `folder` is for this process alone. */
  constructor(run: RunInBackground, folder: string) {
    this.#run = run;
    this.#folder = folder;
  }

  async start(caller: CommandCaller, { atEnd, ...order }: BackgroundOrder): Promise<BackgroundCommand> {
    const { sessionId, runId } = caller;
    if (sessionId === undefined)
      throw new Failure("INVALID_INPUT", "A command can only go on in the background of a session.");
    if (this.#of(sessionId).filter(({ state }) => state === "running").length >= MOST_RUNNING)
      throw new Failure(
        "RESOURCE_EXHAUSTED",
        `This session has ${MOST_RUNNING} background commands already. Stop one with stop_command first.`,
        { retryable: false },
      );
    if (this.#closed) throw new Failure("RESOURCE_EXHAUSTED", "The server is shutting down.");
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const commandId = `cmd_${randomBytes(6).toString("base64url")}`;
    const file = join(this.#folder, commandId);
    const kept = createKeptOutput(file);
    const abort = new AbortController();
    const running = this.#run(caller, {
      ...order,
      timeoutMs: MAX_AGE_MS,
      signal: abort.signal,
      onBytes: (chunk) => kept.append(chunk),
    });
    const entry: Entry = {
      ...{ commandId, command: order.command, state: "running", startedAt: new Date().toISOString() },
      ...{ sessionId, runId, kept, file, abort, told: false, ended: Promise.resolve() },
    };
    const left = async () => atEnd?.().catch(() => undefined); // Its folders are gone.
    entry.ended = running.then(
      async (result) => finish(entry, result, await left()),
      async (thrown: unknown) => fail(entry, thrown, await left()),
    );
    this.#entries.set(commandId, entry);
    this.#forgetOldest(sessionId);
    return shown(entry);
  }

  list(sessionId: string): BackgroundCommand[] {
    return this.#of(sessionId).map(shown);
  }

  async output(
    sessionId: string,
    commandId: string,
    { since = 0, waitMs = 0, signal }: { since?: number; waitMs?: number; signal?: AbortSignal },
  ): Promise<BackgroundOutput> {
    const entry = await this.#find(sessionId, commandId);
    const until = Date.now() + waitMs;
    while (entry.state === "running" && entry.kept.length <= since && Date.now() < until && !signal?.aborted)
      await pause(POLL_MS);
    if (entry.state !== "running") entry.told = true;
    return { ...shown(entry), ...readKept(entry.kept, since) };
  }

  async stop(sessionId: string, commandId: string): Promise<BackgroundCommand> {
    const entry = await this.#find(sessionId, commandId);
    await stopEntry(entry, "it was stopped");
    entry.told = true;
    return shown(entry);
  }

  takeNotices(sessionId: string): string[] {
    const news = this.#of(sessionId).filter(({ state, told }) => state !== "running" && !told);
    for (const entry of news) entry.told = true;
    return news.map(noticeOf);
  }

  async endSession(sessionId: string): Promise<void> {
    await this.#end(this.#of(sessionId), "the session was deleted");
  }

  async endRun(runId: string): Promise<void> {
    const lost = [...this.#entries.values()].filter((entry) => entry.runId === runId);
    await this.#end(lost, "another process took over");
  }

  /** The sessions whose commands run or whose output is kept. */
  sessions(): string[] {
    return [...new Set([...this.#entries.values()].map(({ sessionId }) => sessionId))];
  }

  /** Stops everything and removes what was kept. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#end([...this.#entries.values()], "the server stopped");
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #end(entries: readonly Entry[], reason: string): Promise<void> {
    await Promise.all(entries.map((entry) => stopEntry(entry, reason)));
    for (const entry of entries) await this.#forget(entry);
  }

  async #forget(entry: Entry): Promise<void> {
    if (!this.#entries.delete(entry.commandId)) return;
    entry.kept.close();
    await rm(entry.file, { force: true });
  }

  #forgetOldest(sessionId: string): void {
    const ended = this.#of(sessionId).filter(({ state }) => state !== "running");
    for (const entry of ended.slice(0, Math.max(0, ended.length - MOST_ENDED))) void this.#forget(entry);
  }

  #of(sessionId: string): Entry[] {
    return [...this.#entries.values()].filter((entry) => entry.sessionId === sessionId);
  }

  async #find(sessionId: string, commandId: string): Promise<Entry> {
    const entry = this.#entries.get(commandId);
    if (entry?.sessionId === sessionId) return entry;
    const name = commandId.slice(0, 40);
    const others = this.#of(sessionId).map((one) => one.commandId);
    const why = (await this.#isElsewhere(commandId))
      ? `The background command ${name} belongs to another process of this server, which alone can read and stop it. If you need its output here, start the command again.`
      : `There is no background command ${name} here. Background commands end with a restart or a crash of the server: if you still need it, start it again.`;
    throw new Failure(
      "NOT_FOUND",
      `${why} There ${others.length > 0 ? `are: ${others.join(", ")}` : "are no others"}.`,
    );
  }

  /** Whether another process that still runs keeps the output of a command. Each has a folder that begins with its id. */
  async #isElsewhere(commandId: string): Promise<boolean> {
    if (!COMMAND_ID.test(commandId)) return false;
    const base = dirname(this.#folder);
    const folders = await readdir(base).catch(() => []); // Nothing was started yet.
    return folders.some(
      (name) =>
        name !== basename(this.#folder) &&
        isRunning(Number.parseInt(name, 10)) &&
        existsSync(join(base, name, commandId)),
    );
  }
}

/** Removes what processes that no longer run have left behind. */
export async function sweepBackground(base: string): Promise<void> {
  for (const name of await readdir(base).catch(() => [])) {
    if (!isRunning(Number.parseInt(name, 10))) await rm(join(base, name), { recursive: true, force: true });
  }
}
