import { fstatSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import type { Chat } from "../protocol/chat.ts";
import { describeCompaction } from "../protocol/context.ts";
import { isEndWarning } from "../protocol/end-warnings.ts";
import type { ChatEvent, EventOf, FinishReason } from "../protocol/events.ts";
import { type Failure, toFailure } from "../protocol/failure.ts";
import { emptyRun, findCall, reduce } from "../protocol/reduce.ts";
import type { ChatRequest } from "../protocol/requests.ts";
import { ignoreUnknown, isDetail } from "../protocol/unknown.ts";
import { isAllowed } from "./allow.ts";
import type { AllowRule } from "./allow-rule.ts";
import { createCleaner } from "./clean.ts";
import { onInterrupt } from "./interrupts.ts";
import { truncate } from "./lines.ts";
import { prepared, refuseTooLong } from "./outgoing.ts";
import type { TypedMessage } from "./prompt.ts";
import {
  badEnding,
  CONNECTION,
  describeArguments,
  describeEnding,
  describeFailure,
  duration,
  oneLine,
  STARTS_OVER,
} from "./wording.ts";

const EXIT = { ok: 0, error: 1, usage: 2, denied: 3, unfinished: 4, interrupted: 130 } as const;

/** How a turn ends that could continue. */
const LIMITS: ReadonlySet<FinishReason> = new Set(["length", "tool_limit", "iteration_limit"]);

export interface PrintOptions {
  prompt: string;
  json?: boolean;
  sessionId?: string;
  model?: string;
  allow?: AllowRule[];
  /** Where it works, if that is on this machine. */
  folder?: string;
}

type Asked = EventOf<"tool_approval_required">;

/** How long to wait for an interrupted run to stop. */
const STOP_MS = 3_000;

/** Runs one turn without prompts: the answer goes to stdout, the rest to stderr. Returns the exit code. */
export async function printTurn(chat: Chat, options: PrintOptions): Promise<number> {
  const turn = new PrintedTurn(chat, options);
  const onBroken = (error: NodeJS.ErrnoException) => turn.outputBroke(error);
  const ignoreInterrupts = onInterrupt(() => turn.interrupt(), ["SIGINT", "SIGTERM"]);
  process.stdout.on("error", onBroken);
  // Keep the process alive: a chat in this process may wait for something that does not.
  const alive = setInterval(() => {}, 60_000);
  try {
    return await turn.run();
  } finally {
    clearInterval(alive);
    ignoreInterrupts();
  }
}

class PrintedTurn {
  readonly #chat: Chat;
  readonly #options: PrintOptions;
  readonly #abort = new AbortController();
  readonly #cleaner = createCleaner();
  #state = emptyRun();
  #runId: string | undefined;
  #interrupted = false;
  #readerLeft = false;
  #asked = false;
  #denied = false;
  #failed = false;
  #unfinished = false;
  #endsWithNewline = true;
  /** The end of the answer's text so far, and whether a call has come after it. */
  #end = "";
  #called = false;

  constructor(chat: Chat, options: PrintOptions) {
    this.#chat = chat;
    this.#options = options;
  }

  async run(): Promise<number> {
    try {
      const message = await this.#message();
      if (message.text === "") {
        printError("the prompt is empty. Pass one, or pipe it in.");
        return EXIT.usage;
      }
      await refuseTooLong(this.#chat, message.text, this.#options.model);
      this.#asked = true;
      const { folder } = this.#options;
      const started = await this.#chat.send(await this.#request(message), {
        signal: this.#abort.signal,
        ...(folder === undefined ? {} : { folder }),
      });
      this.#runId = started.runId;
      if (this.#interrupted) this.#stop();
      const { signal } = this.#abort;
      const onConnection = (state: "lost" | "back") => {
        if (process.stderr.isTTY) this.#status(CONNECTION[state]);
        else printError(CONNECTION[state]);
      };
      for await (const { event } of this.#chat.follow(started.runId, { signal, onConnection })) {
        await this.#show(event);
        this.#decideOn(event);
      }
    } catch (thrown) {
      if (!this.#interrupted && !this.#readerLeft) await this.#fail(toFailure(thrown));
    }
    if (!this.#options.json && !this.#endsWithNewline) await this.#write("\n");
    return this.#exitCode();
  }

  /** The first interrupt stops the run. The second one, or one before the request, exits at once. */
  interrupt(): void {
    if (this.#interrupted || !this.#asked) process.exit(EXIT.interrupted);
    this.#interrupted = true;
    this.#stop();
  }

  /** The reader closed the pipe, as `head` does. That is no error, but the run is stopped. */
  outputBroke(error: NodeJS.ErrnoException): void {
    if (error.code !== "EPIPE") throw error;
    if (this.#readerLeft) return;
    this.#readerLeft = true;
    this.#stop();
  }

  #stop(): void {
    const { signal } = this.#abort;
    if (this.#runId === undefined) {
      // Let a pending request finish, so that there is a run to stop.
      setTimeout(() => this.#abort.abort(), STOP_MS).unref();
      return;
    }
    const deadline = setTimeout(() => this.#abort.abort(), STOP_MS);
    signal.addEventListener("abort", () => clearTimeout(deadline), { once: true });
    deadline.unref();
    // If the run does not stop, leave at the deadline.
    this.#chat.cancel(this.#runId).catch(() => this.#abort.abort());
  }

  #exitCode(): number {
    if (this.#readerLeft) return EXIT.ok;
    if (this.#interrupted) return EXIT.interrupted;
    if (this.#failed) return EXIT.error;
    if (this.#denied) return EXIT.denied;
    return this.#unfinished ? EXIT.unfinished : EXIT.ok;
  }

  async #message(): Promise<TypedMessage> {
    const prompt = this.#options.prompt.trim();
    const piped = (await readPiped()).trim();
    const text = [prompt, piped].filter((part) => part !== "").join("\n\n");
    return { text, images: [], pasted: prompt === "" ? [] : [piped] };
  }

  async #request(message: TypedMessage): Promise<ChatRequest> {
    const { sessionId, model, folder } = this.#options;
    const asked = await prepared(this.#chat, message, folder ?? process.cwd(), folder === undefined);
    return { ...asked, sessionId, model, attended: false };
  }

  /** What is said after a call begins a new paragraph. */
  async #say(text: string): Promise<void> {
    const start = /^\n*/.exec(text)?.[0].length ?? 0;
    const end = /\n*$/.exec(this.#end)?.[0].length ?? 0;
    if (text !== "" && this.#called && this.#end !== "")
      await this.#write("\n".repeat(Math.max(0, 2 - start - end)));
    if (text === "") return;
    this.#called = false;
    this.#end = (this.#end + text).slice(-2);
    await this.#write(text);
  }

  async #show(event: ChatEvent): Promise<void> {
    if (event.type === "error") this.#failed = true;
    if (event.type === "done") this.#unfinished = LIMITS.has(event.finishReason);
    if (this.#options.json) {
      await this.#write(`${JSON.stringify(event)}\n`);
      if (event.type === "error")
        printError(describeFailure({ ...event, message: event.error, retryAfter: event.retryAfter }));
      return;
    }
    const startsOver = event.type === "session" && this.#state.runId !== "";
    this.#state = reduce(this.#state, event);
    switch (event.type) {
      case "session":
        if (!startsOver) break;
        await this.#write(this.#cleaner.end());
        await this.#newLine();
        printError(STARTS_OVER);
        break;
      case "content_delta":
        await this.#say(this.#cleaner.push(event.choices[0].delta.content));
        break;
      case "tool_call_start":
        await this.#say(this.#cleaner.end());
        this.#called = true;
        break;
      case "tool_result": {
        const ended = badEnding(event);
        const mark = event.success && ended === "" ? "✓" : "✗";
        const why = event.error ? `: ${oneLine(event.error.message)}` : ended;
        const call = describeArguments(findCall(this.#state, event.toolCallId)?.arguments);
        this.#status(
          `${mark} ${`${oneLine(event.toolName)} ${call}`.trim()} ${duration(event.latencyMs)}${why}`,
        );
        break;
      }
      case "todo": {
        const done = event.items.filter(({ state }) => state === "done").length;
        const doing = event.items.find(({ state }) => state === "doing");
        this.#status(`☑ ${done} of ${event.items.length}${doing ? ` · ${oneLine(doing.text)}` : ""}`);
        break;
      }
      case "context_compacted":
        this.#status(describeCompaction(event));
        break;
      case "warning":
        if (!isEndWarning(event)) this.#status(`! ${oneLine(event.message)}`);
        break;
      case "error":
        await this.#newLine();
        printError(describeFailure({ ...event, message: event.error, retryAfter: event.retryAfter }));
        break;
      case "done": {
        await this.#write(this.#cleaner.end());
        const { finishReason } = event;
        const ending = finishReason === "cancelled" ? undefined : describeEnding(finishReason, this.#state);
        // On a screen, the answer has just said so itself.
        const isSeen = ending && process.stdout.isTTY && this.#state.text.endsWith(ending);
        if (ending !== undefined && !isSeen) {
          await this.#newLine();
          printError(ending);
        }
        break;
      }
      case "reasoning_delta":
      case "reasoning_complete":
      case "tool_approval_required":
      case "usage":
        break;
      default:
        if (!isDetail(event)) ignoreUnknown(event, undefined);
    }
  }

  #decideOn(event: ChatEvent): void {
    if (event.type !== "tool_approval_required" || this.#runId === undefined) return;
    const allowed = isAllowed(this.#options.allow ?? [], event);
    if (!allowed) {
      this.#denied = true;
      printError(whyDenied(event));
    }
    const decision = allowed
      ? { decision: "once" as const }
      : { decision: "deny" as const, note: "Nobody was available to approve it." };
    const { argumentsHash } = event;
    this.#chat
      .decide(this.#runId, event.toolCallId, { ...decision, argumentsHash })
      .catch((thrown: unknown) => {
        this.#failed = true;
        printError(describeFailure(toFailure(thrown)));
        this.#stop();
      });
  }

  async #fail(failure: Failure): Promise<void> {
    this.#failed = true;
    if (this.#options.json) {
      const { code, retryable, retryAfter, details } = failure;
      const event: ChatEvent = {
        type: "error",
        error: failure.publicMessage,
        code,
        requestId: typeof details?.requestId === "string" ? details.requestId : "",
        retryable,
        retryAfter,
      };
      await this.#write(`${JSON.stringify(event)}\n`);
    } else {
      await this.#newLine();
    }
    printError(describeFailure(failure));
  }

  async #newLine(): Promise<void> {
    if (!this.#endsWithNewline) await this.#write("\n");
  }

  /** Waits for a slow reader, so that the answer is not buffered here. */
  async #write(text: string): Promise<void> {
    if (text === "" || this.#readerLeft) return;
    this.#endsWithNewline = text.endsWith("\n");
    if (process.stdout.write(text)) return;
    await new Promise<void>((resolve) => {
      const resume = () => {
        process.stdout.off("drain", resume).off("error", resume).off("close", resume);
        resolve();
      };
      process.stdout.on("drain", resume).on("error", resume).on("close", resume);
    });
  }

  #status(text: string): void {
    if (!process.stderr.isTTY) return;
    const line = truncate(text, (process.stderr.columns || 80) - 1);
    process.stderr.write(this.#endsWithNewline || !process.stdout.isTTY ? `${line}\n` : `\n${line}\n`);
    if (!process.stdout.isTTY) return;
    this.#endsWithNewline = true;
    // The line above ended the paragraph; only the empty line is missing.
    if (this.#end !== "") this.#end = "\n";
  }
}

/** Reads piped or redirected input. Returns "" if stdin is a keyboard or closed. */
async function readPiped(): Promise<string> {
  if (process.stdin.isTTY || !hasInput()) return "";
  const notice = setTimeout(() => {
    // A program that leaves it open would otherwise wait forever, without saying what for.
    printError("reading the rest of the prompt from standard input until it ends (for none: < /dev/null) …");
  }, 1000);
  try {
    return await readAll(process.stdin);
  } finally {
    clearTimeout(notice);
  }
}

function whyDenied({ toolName, plan, outside, reason, arguments: args }: Asked): string {
  const name = oneLine(toolName);
  if (plan) return "a plan needs a person who approves it, so it was denied.";
  if (outside)
    return `${name} needs a person who approves it, and was denied: ${reason} --allow-tool does not cover this.`;
  return `${name} needs an approval and was denied: ${describeArguments(args)}. Use --allow-tool ${name} to allow it.`;
}

function hasInput(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isFile() || input.isSocket();
  } catch {
    return false; // Started with stdin closed.
  }
}

function printError(sentence: string): void {
  process.stderr.write(`tackle: ${oneLine(sentence)}\n`);
}
