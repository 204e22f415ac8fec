import type { ChatEvent, EventOf } from "../protocol/events.ts";
import { clean, createCleaner } from "./clean.ts";
import { truncate, wrap } from "./lines.ts";
import { MarkdownStream } from "./markdown-stream.ts";
import type { Screen } from "./screen.ts";
import { describeArguments, describeEnding, describeFailure, duration, oneLine } from "./wording.ts";

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 80;
const SHOWN_SOURCES = 5;

interface RunningCall {
  name: string;
  summary: string;
  since: number;
  news: string;
  /** Lines about what it made, shown below its result. */
  made: string[];
}

/** One turn as a person sees it: events in, lines out. */
export class TurnView {
  readonly #screen: Screen;
  readonly #text: MarkdownStream;
  readonly #calls = new Map<string, RunningCall>();
  readonly #began = performance.now();
  #cleaner = createCleaner();
  #reasoning: { since: number; text: string; title: string } | undefined;
  #status = "";
  #finished: string[] = [];
  #last: "text" | "note" | undefined;
  #footer: () => string[] = () => [];
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#text = new MarkdownStream(() => screen.columns, screen.paint);
    if (screen.live) this.#timer = setInterval(() => this.draw(), FRAME_MS);
  }

  /** Sets what stands below everything: the question that is open, the line that is being typed. */
  set footer(lines: () => string[]) {
    this.#footer = lines;
    this.draw();
  }

  /** Takes one event in. Text is drawn with the next frame, so that a fast model costs no more than a slow one. */
  apply(event: ChatEvent): void {
    switch (event.type) {
      case "content_delta":
        this.#closeReasoning(undefined);
        this.#status = "";
        this.#say("text", this.#text.push(this.#cleaner.push(event.choices[0].delta.content)));
        break;
      case "reasoning_delta": {
        const reasoning = this.#openReasoning();
        reasoning.text = (reasoning.text + event.choices[0].delta.reasoning_content).slice(-4_000);
        break;
      }
      case "reasoning_step":
        this.#openReasoning().title = event.step.title;
        break;
      case "reasoning_status":
        this.#status = oneLine(event.content);
        break;
      case "reasoning_complete":
        this.#openReasoning().title ||= event.steps.at(-1)?.title ?? "";
        this.#closeReasoning(event.durationMs);
        break;
      case "tool_call_start":
        this.#closeReasoning(undefined);
        this.#endText();
        this.#status = "";
        this.#calls.set(event.toolCallId, {
          name: oneLine(event.toolName),
          summary: describeArguments(event.arguments),
          since: performance.now(),
          news: "",
          made: [],
        });
        break;
      case "tool_executing":
        this.#withCall(event.toolCallId, (call) => {
          call.since = performance.now();
          call.news = "";
        });
        break;
      case "tool_approval_required":
        this.#withCall(event.toolCallId, (call) => {
          call.news = "waits for your answer";
        });
        break;
      case "tool_progress":
        this.#withCall(event.toolCallId, (call) => {
          const lastLine = event.chunk?.trimEnd().split("\n").at(-1);
          call.news = oneLine(event.message || lastLine || call.news);
        });
        break;
      case "tool_result":
        this.#closeCall(event);
        break;
      case "artifact_complete":
        this.#withCall(event.toolCallId, (call) => {
          call.made.push(
            `${oneLine(event.artifactTitle)} (${event.artifactType}, version ${event.version}) ${oneLine(event.previewUrl)}`,
          );
        });
        break;
      case "image_complete":
        this.#withCall(event.toolCallId, (call) => {
          call.made.push(`image ${event.imageUrl === undefined ? event.mimeType : oneLine(event.imageUrl)}`);
        });
        break;
      case "web_search":
        this.#withCall(event.toolCallId, (call) => {
          const shown = event.data.sources.slice(0, SHOWN_SOURCES);
          call.made.push(...shown.map((one, at) => `[${at + 1}] ${oneLine(one.title)} ${oneLine(one.url)}`));
          const more = event.data.sources.length - shown.length;
          if (more > 0) call.made.push(`and ${more} more`);
        });
        break;
      case "retry_status":
        this.#status = `${oneLine(event.reason)} Trying again in ${duration(event.retryAfterMs)} (${event.attempt} of ${event.maxRetries})`;
        break;
      case "warning":
        this.note(`! ${oneLine(event.message)}`, "yellow");
        break;
      case "error":
        this.note(
          `✗ ${describeFailure({ ...event, message: event.error, retryAfter: event.retryAfter })}`,
          "red",
        );
        break;
      case "done": {
        this.#closeReasoning(undefined);
        this.#endText();
        const ending = describeEnding(event.finishReason);
        if (ending) this.note(ending, "yellow");
        break;
      }
    }
  }

  /** Adds a line of our own. */
  note(text: string, format: "dim" | "red" | "yellow" | "green" | "bold"): void {
    this.#endText();
    this.#say("note", wrap([{ text, format }], this.#screen.columns, this.#screen.paint));
  }

  /** Adds lines that are laid out already. */
  show(lines: string[]): void {
    this.#endText();
    this.#say("note", lines);
  }

  /** Shows a status until something new comes. */
  set status(text: string) {
    this.#status = text;
  }

  /** Draws all that has come so far. */
  draw(): void {
    const finished = this.#finished;
    this.#finished = [];
    this.#screen.update(finished, this.#screen.live ? this.#tail() : []);
  }

  /** The turn is over: what is unfinished is shown as it is, and nothing stays that moves. */
  end(): void {
    clearInterval(this.#timer);
    this.#closeReasoning(undefined);
    this.#endText();
    this.#calls.clear();
    this.#status = "";
    this.#footer = () => [];
    const finished = this.#finished;
    this.#finished = [];
    this.#screen.update(finished, []);
  }

  #tail(): string[] {
    const { columns, paint } = this.#screen;
    const spinner = SPINNER[Math.floor(performance.now() / FRAME_MS) % SPINNER.length] ?? "";
    const lines = this.#text.tail();
    if (lines.length > 0 && this.#last === "note" && lines[0] !== "") lines.unshift("");
    const moving: string[] = [];
    if (this.#reasoning) {
      const title = this.#reasoning.title || titleIn(this.#reasoning.text);
      const time = duration(performance.now() - this.#reasoning.since);
      moving.push(`Thinking ${time}${title ? ` · ${oneLine(title)}` : ""}`);
    }
    for (const call of this.#calls.values()) {
      const time = performance.now() - call.since;
      moving.push(
        [call.name, call.summary, call.news && `· ${call.news}`, time >= 1000 && duration(time)]
          .filter(Boolean)
          .join(" "),
      );
    }
    if (this.#status) moving.push(this.#status);
    const waited = performance.now() - this.#began;
    if (moving.length === 0 && lines.length === 0)
      moving.push(waited < 1000 ? "…" : `Waiting for the model ${duration(waited)}`);
    if (moving.length > 0 && (lines.length > 0 || this.#last === "text")) lines.push("");
    for (const text of moving) lines.push(paint("dim", `${spinner} ${truncate(text, columns - 2)}`));
    return [...lines, ...this.#footer()];
  }

  #say(kind: "text" | "note", lines: string[]): void {
    if (lines.length === 0) return;
    if (this.#last !== undefined && this.#last !== kind && lines[0] !== "") this.#finished.push("");
    this.#finished.push(...lines);
    this.#last = kind;
    if (!this.#screen.live) this.draw();
  }

  #endText(): void {
    const rest = this.#cleaner.end();
    const lines = rest === "" ? [] : this.#text.push(rest);
    this.#say("text", [...lines, ...this.#text.end()]);
  }

  #openReasoning() {
    this.#status = "";
    if (!this.#reasoning) this.#endText();
    this.#reasoning ??= { since: performance.now(), text: "", title: "" };
    return this.#reasoning;
  }

  #closeReasoning(durationMs: number | undefined): void {
    const reasoning = this.#reasoning;
    if (!reasoning) return;
    this.#reasoning = undefined;
    const title = reasoning.title || titleIn(reasoning.text);
    const time = duration(durationMs ?? performance.now() - reasoning.since);
    const line = `✻ Thought for ${time}${title ? ` · ${oneLine(title)}` : ""}`;
    this.#say("note", [this.#screen.paint("dim", truncate(line, this.#screen.columns))]);
  }

  #closeCall(result: EventOf<"tool_result">): void {
    const { columns, paint } = this.#screen;
    const call = this.#calls.get(result.toolCallId);
    this.#calls.delete(result.toolCallId);
    const head = `${call?.name ?? oneLine(result.toolName)} ${call?.summary ?? ""}`.trim();
    const time = result.cached ? "from the cache" : duration(result.latencyMs);
    const mark = result.success ? paint("green", "✓") : paint("red", "✗");
    const lines = [`${mark} ${truncate(head, columns - time.length - 4)}  ${paint("dim", time)}`];
    for (const line of call?.made ?? []) lines.push(`  ${paint("dim", truncate(line, columns - 2))}`);
    if (result.error) {
      for (const line of wrap([{ text: clean(result.error.message), format: "red" }], columns - 2, paint)) {
        lines.push(`  ${line}`);
      }
    }
    this.#say("note", lines);
  }

  #withCall(toolCallId: string, change: (call: RunningCall) => void): void {
    const call = this.#calls.get(toolCallId);
    if (call) change(call);
  }
}

/** Models head their thoughts with a bold line; without one, the first line has to do. */
function titleIn(text: string): string {
  const bold = [...text.matchAll(/\*\*([^*\n]{1,120})\*\*/g)].at(-1)?.[1];
  return bold ?? text.trim().split("\n", 1)[0]?.slice(0, 80) ?? "";
}
