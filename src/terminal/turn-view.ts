import { describeCompaction } from "../protocol/context.ts";
import { editedLines } from "../protocol/edited-lines.ts";
import { isEndWarning } from "../protocol/end-warnings.ts";
import type { ChatEvent, EventOf } from "../protocol/events.ts";
import { REASONING_SOURCE } from "../protocol/reasoning-steps.ts";
import {
  callsOf,
  emptyRun,
  findCall,
  type RunState,
  reduce,
  type ToolCallState,
  wasContinued,
} from "../protocol/reduce.ts";
import { ignoreUnknown, isDetail } from "../protocol/unknown.ts";
import { clean, createCleaner } from "./clean.ts";
import { truncate, wrap } from "./lines.ts";
import { MarkdownStream } from "./markdown-stream.ts";
import { outputLines, saidLines, wholeOutput } from "./output-lines.ts";
import type { Screen } from "./screen.ts";
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

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 80;
const SHOWN_SOURCES = 5;
const TODO_MARKS = { open: "☐", doing: "▸", done: "☑" };
/** A running command shows its last lines. */
const OUTPUT_LINES = 5;
/** Longer edits and errors are cut. */
const EDIT_LINES = 12;
const ERROR_LINES = 3;

/** Shows one turn: takes events and draws lines. */
export class TurnView {
  readonly #screen: Screen;
  readonly #text: MarkdownStream;
  readonly #began = performance.now();
  /** When each call was made or started to run. */
  readonly #callsSince = new Map<string, number>();
  /** Calls that were approved without showing them to the person. */
  readonly unasked = new Set<string>();
  #state = emptyRun();
  #cleaner = createCleaner();
  #reasoningSince: number | undefined;
  #notice = "";
  #isLost = false;
  #finished: string[] = [];
  #last: "text" | "note" | undefined;
  /** Whether the output of running commands is shown as far as there is room. */
  #expanded = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#text = new MarkdownStream(() => screen.columns, screen.paint);
    if (screen.live) this.#timer = setInterval(() => this.draw(), FRAME_MS);
  }

  /** The run as its events tell it. */
  get state(): RunState {
    return this.#state;
  }

  /** Shows all of a running command's output that fits, or its last lines again. Returns false if none is running. */
  expand(): boolean {
    if (callsOf(this.#state).every((call) => isOver(call) || !call.progress?.output)) return false;
    this.#expanded = !this.#expanded;
    this.draw();
    return true;
  }

  /** Takes one event. Text is drawn with the next frame, so that a fast model costs no more than a slow one. */
  apply(event: ChatEvent): void {
    if (event.type === "session" && this.#state.runId !== "") this.#startOver();
    this.#state = reduce(this.#state, event);
    switch (event.type) {
      case "content_delta":
        this.#closeReasoning();
        this.#notice = "";
        this.#say("text", this.#text.push(this.#cleaner.push(event.choices[0].delta.content)));
        break;
      case "reasoning_delta":
      case "reasoning_step":
        this.#openReasoning();
        break;
      case "reasoning_complete":
        this.#openReasoning();
        this.#closeReasoning(event.durationMs);
        break;
      case "tool_call_start":
        this.#closeReasoning();
        this.#endText();
        this.#notice = "";
        this.#callsSince.set(event.toolCallId, performance.now());
        break;
      case "tool_executing":
        this.#callsSince.set(event.toolCallId, performance.now());
        break;
      case "tool_result":
        this.#closeCall(event);
        break;
      case "warning":
        if (!isEndWarning(event)) this.note(`! ${oneLine(event.message)}`, "yellow");
        break;
      case "error":
        this.note(
          `✗ ${describeFailure({ ...event, message: event.error, retryAfter: event.retryAfter })}`,
          "red",
        );
        break;
      case "done": {
        this.#closeReasoning();
        this.#endText();
        if (this.#screen.live) this.#say("note", this.#todoLines());
        if (wasContinued(this.#state)) this.note("The answer broke off and went on by itself.", "dim");
        const ending = describeEnding(event.finishReason, this.#state);
        if (ending && !this.#state.text.endsWith(ending)) this.note(oneLine(ending), "yellow");
        break;
      }
      case "todo":
        if (!this.#screen.live) this.#say("note", this.#todoLines());
        break;
      case "context_compacted":
        this.note(`⇣ ${describeCompaction(event)}`, "dim");
        break;
      case "user_message":
        this.#endText();
        this.#say("note", [...(this.#last ? [""] : []), ...saidLines(event.text, this.#screen)]);
        break;
      case "artifact_complete":
      case "image_complete":
      case "web_search": {
        const call = findCall(this.#state, event.toolCallId);
        if (call) this.#say("note", this.#madeLines(call));
        break;
      }
      case "title":
        this.#screen.nameWindow(oneLine(event.title));
        break;
      case "session":
      case "tool_approval_required":
      case "usage":
        break; // Drawn from the state.
      default:
        if (!isDetail(event)) ignoreUnknown(event, undefined); // Details are drawn from the state too.
    }
  }

  /** All output of the newest call that printed something. */
  newestOutput(): string[] {
    const call = callsOf(this.#state).findLast(({ progress, output }) => progress?.output || output);
    if (!call) return [];
    const head = `${oneLine(call.toolName)} ${describeArguments(call.arguments)}`.trim();
    const output = wholeOutput(call.progress?.output || call.output || "", this.#screen);
    return [this.#screen.paint("dim", truncate(`  ${head}`, this.#screen.columns)), ...output];
  }

  /** Adds a note. */
  note(text: string, format: "dim" | "red" | "yellow" | "green" | "bold"): void {
    this.#endText();
    this.#say("note", wrap([{ text, format }], this.#screen.columns, this.#screen.paint));
  }

  /** Adds formatted lines. */
  show(lines: string[]): void {
    this.#endText();
    this.#say("note", lines);
  }

  /** Shows a notice until the run moves on. */
  set notice(text: string) {
    this.#notice = text;
  }

  /** Says that the connection is lost until it is back. */
  noteConnection(state: "lost" | "back"): void {
    if (!this.#screen.live) process.stderr.write(`tackle: ${CONNECTION[state]}\n`);
    this.#isLost = state === "lost";
    this.draw();
  }

  /** Draws the current state. */
  draw(): void {
    const finished = this.#finished;
    this.#finished = [];
    this.#screen.update(finished, this.#screen.live ? this.#tail() : []);
  }

  /** Ends the turn: prints unfinished parts and removes the spinner. */
  end(): void {
    clearInterval(this.#timer);
    this.#closeReasoning();
    this.#endText();
    const finished = this.#finished;
    this.#finished = [];
    this.#screen.update(finished, []);
  }

  #startOver(): void {
    this.#closeReasoning();
    this.note(STARTS_OVER, "yellow");
    this.#callsSince.clear();
  }

  #tail(): string[] {
    const { columns, paint } = this.#screen;
    const spinner = SPINNER[Math.floor(performance.now() / FRAME_MS) % SPINNER.length] ?? "";
    const lines = this.#text.tail();
    if (lines.length > 0 && this.#last === "note" && lines[0] !== "") lines.unshift("");
    const moving: string[] = [];
    if (this.#reasoningSince !== undefined)
      moving.push(`Thinking ${duration(performance.now() - this.#reasoningSince)}${this.#reasoningTitle()}`);
    const running = callsOf(this.#state).filter((call) => !isOver(call));
    const status = this.#isLost ? CONNECTION.lost : this.#notice || statusOf(this.#state);
    if (status) moving.push(status);
    const waited = performance.now() - this.#began;
    if (moving.length + running.length === 0 && lines.length === 0)
      moving.push(waited < 1000 ? "…" : `Waiting for the model ${duration(waited)}`);
    if (moving.length + running.length > 0 && (lines.length > 0 || this.#last === "text")) lines.push("");
    const show = (text: string) => paint("dim", `${spinner} ${truncate(text, columns - 2)}`);
    for (const call of running) lines.push(show(this.#runningCall(call)), ...this.#liveOutput(call));
    const todo = this.#state.finishReason ? [] : this.#todoLines();
    return [...lines, ...moving.map(show), ...todo];
  }

  /** The model's list, one line each. */
  #todoLines(): string[] {
    const { columns, paint } = this.#screen;
    return (this.#state.todo ?? []).map(({ text, state }) => {
      const line = truncate(`${TODO_MARKS[state]} ${oneLine(text)}`, columns);
      return state === "doing" ? line : paint("dim", line);
    });
  }

  #say(kind: "text" | "note", lines: string[]): void {
    if (lines.length === 0) return;
    if (this.#last !== undefined && this.#last !== kind && lines[0] !== "") this.#finished.push("");
    for (const line of lines) this.#finished.push(line);
    this.#last = kind;
    if (!this.#screen.live) this.draw();
  }

  #endText(): void {
    const rest = this.#cleaner.end();
    const lines = rest === "" ? [] : this.#text.push(rest);
    this.#say("text", [...lines, ...this.#text.end()]);
  }

  #openReasoning(): void {
    this.#notice = "";
    if (this.#reasoningSince !== undefined) return;
    this.#endText();
    this.#reasoningSince = performance.now();
  }

  #closeReasoning(durationMs?: number): void {
    if (this.#reasoningSince === undefined) return;
    const time = duration(durationMs ?? performance.now() - this.#reasoningSince);
    this.#reasoningSince = undefined;
    const line = `✻ Thought for ${time}${this.#reasoningTitle()}`;
    this.#say("note", [this.#screen.paint("dim", truncate(line, this.#screen.columns))]);
  }

  #reasoningTitle(): string {
    const block = this.#state.blocks.findLast(({ type }) => type === "reasoning");
    if (block?.type !== "reasoning") return "";
    const { status } = this.#state;
    const thought = status?.source === REASONING_SOURCE ? status.content : undefined;
    const title = thought ?? block.reasoning.steps.at(-1)?.title;
    return title ? ` · ${oneLine(title)}` : "";
  }

  #runningCall(call: ToolCallState): string {
    const time = performance.now() - (this.#callsSince.get(call.toolCallId) ?? this.#began);
    const news = newsOf(call);
    const parts = [oneLine(call.toolName), describeArguments(call.arguments), news && `· ${news}`];
    return [...parts, time >= 1000 && duration(time)].filter(Boolean).join(" ");
  }

  #liveOutput({ progress }: ToolCallState): string[] {
    const room = this.#expanded ? Math.max(OUTPUT_LINES, this.#screen.rows - 8) : OUTPUT_LINES;
    return outputLines(progress?.output ?? "", room, "Ctrl-O shows more", this.#screen);
  }

  #closeCall(result: EventOf<"tool_result">): void {
    const { columns, paint } = this.#screen;
    const call = findCall(this.#state, result.toolCallId);
    const head = `${oneLine(result.toolName)} ${describeArguments(call?.arguments)}`.trim();
    const ended = badEnding(result);
    const time = `${result.cached ? "from the cache" : duration(result.latencyMs)}${ended}`;
    const mark = result.success && ended === "" ? paint("green", "✓") : paint("red", "✗");
    const lines = [`${mark} ${truncate(head, columns - time.length - 4)}  ${paint("dim", time)}`];
    if (call?.progress?.output && result.success)
      lines.push(...outputLines(call.progress.output, OUTPUT_LINES, "Ctrl-O shows all", this.#screen));
    const isUnseen = call && (!call.approval || this.unasked.has(call.toolCallId));
    if (isUnseen && result.success) lines.push(...this.#editLines(call));
    if (result.error) {
      const said = clean(result.error.message).split("\n");
      for (const text of said.slice(0, ERROR_LINES))
        lines.push(...wrap([{ text, format: "red" }], columns - 2, paint).map((line) => `  ${line}`));
      if (said.length > ERROR_LINES) lines.push(`  ${paint("dim", "… Ctrl-O shows all")}`);
    }
    this.#say("note", lines);
  }

  /** What an edit changed, if the person has not seen it in a question before. */
  #editLines({ arguments: args }: ToolCallState): string[] {
    const { columns, paint } = this.#screen;
    const edited = editedLines(args) ?? [];
    const shown = edited.slice(0, edited.length > EDIT_LINES + 1 ? EDIT_LINES : undefined).map((line) => {
      return `  ${paint(line.startsWith("-") ? "red" : "green", truncate(clean(line), columns - 2))}`;
    });
    const more = edited.length - shown.length;
    return more > 0 ? [...shown, `  ${paint("dim", `… ${more} more lines`)}`] : shown;
  }

  #madeLines(call: ToolCallState): string[] {
    const { columns, paint } = this.#screen;
    return madeBy(call).map((line) => `  ${paint("dim", truncate(line, columns - 2))}`);
  }
}

function isOver({ status }: ToolCallState): boolean {
  return status === "succeeded" || status === "failed";
}

function newsOf({ status, progress }: ToolCallState): string {
  if (status === "waiting") return "waits for your answer";
  return oneLine(progress?.output ? "" : progress?.message || "");
}

function statusOf({ retry, status }: RunState): string {
  if (!retry) return status?.source === REASONING_SOURCE ? "" : oneLine(status?.content ?? "");
  const { reason, retryAfterMs, attempt, maxRetries } = retry;
  return `${oneLine(reason)} Trying again in ${duration(retryAfterMs)} (${attempt} of ${maxRetries})`;
}

/** Returns lines about what a call made, shown below its result. */
function madeBy({ artifact, image, search }: ToolCallState): string[] {
  const lines: string[] = [];
  if (artifact?.complete) {
    const { title = "", artifactType, version, previewUrl = "" } = artifact;
    lines.push(`${oneLine(title)} (${artifactType}, version ${version}) ${oneLine(previewUrl)}`);
  }
  if (image) lines.push(`image ${oneLine(image.imageUrl ?? image.mimeType)}`);
  const sources = search?.sources ?? [];
  const shown = sources.slice(0, SHOWN_SOURCES);
  lines.push(...shown.map((one, at) => `[${at + 1}] ${oneLine(one.title)} ${oneLine(one.url)}`));
  if (sources.length > shown.length) lines.push(`and ${sources.length - shown.length} more`);
  return lines;
}
