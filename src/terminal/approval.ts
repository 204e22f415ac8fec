import type { Decision } from "../protocol/chat.ts";
import type { EventOf } from "../protocol/events.ts";
import { covered, coveredSentence } from "./always-words.ts";
import { reveal } from "./clean.ts";
import { diffLines, isDiff } from "./diff-lines.ts";
import type { Key } from "./keys.ts";
import { chop, truncate, widthOf, wrap } from "./lines.ts";
import { PlanEditor } from "./plan-editor.ts";
import type { Screen } from "./screen.ts";
import { oneLine } from "./wording.ts";

export type ApprovalRequest = EventOf<"tool_approval_required">;

const RISK_FORMAT = { low: "green", medium: "yellow", high: "red" } as const;
const SHOWN_PREVIEW_LINES = 40;
const SHOWN_END = 10;

/** A call that waits for a decision: what is shown, and what the keys do. */
export class Approval {
  readonly request: ApprovalRequest;
  readonly #screen: Screen;
  readonly #plan: PlanEditor | undefined;
  #reason: string | undefined;

  constructor(request: ApprovalRequest, screen: Screen) {
    this.request = request;
    this.#screen = screen;
    this.#plan = request.plan && new PlanEditor(request.plan, screen);
  }

  /** The tool, the reason for the question, the directory, and the exact command or diff. */
  lines(directory: string | undefined): string[] {
    const { columns, paint } = this.#screen;
    const { toolName, reason, risk } = this.request;
    const preview = this.#preview();
    const shown = preview.slice(0, SHOWN_PREVIEW_LINES);
    const more = preview.length - shown.length;
    // What is at the end is shown too: nothing hides behind many lines.
    if (more > 0)
      shown.splice(
        -SHOWN_END,
        SHOWN_END,
        paint("dim", `    … ${more} more lines; e shows all`),
        ...preview.slice(-SHOWN_END),
      );
    return [
      `${paint("yellow", "?")} ${paint("bold", oneLine(toolName))} ${paint(RISK_FORMAT[risk], `${risk} risk`)}`,
      ...wrap([{ text: reveal(reason), format: "dim" }], columns - 2, paint).map((line) => `  ${line}`),
      ...(directory === undefined ? [] : [`  ${paint("dim", `in ${truncate(directory, columns - 5)}`)}`]),
      ...shown,
    ];
  }

  /** Everything about the call: the whole preview if it was cut, and the arguments. */
  explanation(): string[] {
    const { paint, columns } = this.#screen;
    const preview = this.#preview();
    const said = (text: string) =>
      wrap([{ text, format: "dim" }], columns - 2, paint).map((line) => `  ${line}`);
    return [
      ...(preview.length > SHOWN_PREVIEW_LINES ? [...preview, ""] : []),
      ...said(`${oneLine(this.request.toolName)} would be called with these arguments:`),
      ...this.#arguments().flatMap((line) => chop(line, columns - 2).map((part) => `  ${part}`)),
      ...said(`Without an answer it is denied at ${new Date(this.request.expiresAt).toLocaleString()}.`),
    ];
  }

  /** The choices for this many calls, or the reason that the user is typing. */
  question(count: number): string[] {
    const { columns, paint } = this.#screen;
    if (this.#reason !== undefined) {
      const line = `Why not? (Enter to send) ${this.#reason}▏`;
      return chop(line, columns - 2).map((part) => `  ${part}`);
    }
    const { always } = this.request;
    const plan = count === 1 ? this.#plan : undefined;
    const asked = count > 1 ? `Allow all ${count}?` : plan ? "Approve the plan?" : "Allow it?";
    const more = count > 1 ? ["o one by one"] : always ? [`a always ${covered(always)}`] : [];
    const words = [`${asked} y ${plan ? "yes" : "once"}`, ...more, "n no, with a reason", "e explain"];
    const choices = plan?.typing ? plan.keys() : [...words, ...(plan?.keys() ?? [])];
    const [first = "", ...rest] = joined(choices, columns - 2);
    const shown = [first.replace(asked, paint("bold", asked)), ...rest].map((line) => `  ${line}`);
    const sentence = always && count === 1 ? coveredSentence(always) : undefined;
    const hint = sentence === undefined ? [] : wrap([{ text: sentence, format: "dim" }], columns - 2, paint);
    return [...(plan?.lines() ?? []), ...hint.map((line) => `  ${line}`), ...shown];
  }

  /**
   * Handles a key for this many calls: returns a decision, "explain", "apart" to decide one by one, "other" for a key without a
   * meaning here, or undefined while typing.
   */
  press(key: Key, count: number): Decision | "explain" | "apart" | "other" | undefined {
    if (this.#reason !== undefined) return this.#typeReason(key);
    const edited = count === 1 ? this.#plan?.press(key) : undefined;
    if (edited) return edited === true ? undefined : edited;
    if (key.type !== "text" || !key.alone) return "other";
    switch (key.text.toLowerCase()) {
      case "y":
        return { decision: "once" };
      case "a":
        return this.request.always && count === 1 ? { decision: "always" } : "other";
      case "o":
        return count > 1 ? "apart" : "other";
      case "n":
        this.#reason = "";
        return undefined;
      case "e":
        return "explain";
      default:
        return "other";
    }
  }

  #typeReason(key: Key): Decision | undefined {
    const reason = this.#reason ?? "";
    if (key.type !== "key") this.#reason = reason + key.text.replace(/\s+/g, " ");
    else if (key.name === "backspace") this.#reason = Array.from(reason).slice(0, -1).join("");
    else if (key.name === "ctrl-u") this.#reason = "";
    else if (key.name === "escape") this.#reason = undefined;
    else if (key.name === "enter") {
      const note = reason.trim().slice(0, 2_000);
      return { decision: "deny", ...(note === "" ? {} : { note }) };
    }
    return undefined;
  }

  #preview(): string[] {
    const { paint, columns } = this.#screen;
    const { preview } = this.request;
    const lines = preview === undefined ? this.#arguments() : reveal(preview).split("\n");
    if (isDiff(lines)) return diffLines(lines, columns - 4, paint).map((line) => `    ${line}`);
    return lines.flatMap((line) => chop(line, columns - 4).map((part) => `    ${paint("cyan", part)}`));
  }

  #arguments(): string[] {
    return reveal(JSON.stringify(this.request.arguments, null, 2) ?? "").split("\n");
  }
}

/** Puts words next to each other, as many as fit on a line. */
function joined(words: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const longer = `${lines.at(-1)} · ${word}`;
    if (lines.length > 0 && widthOf(longer) <= columns) lines.splice(-1, 1, longer);
    else lines.push(truncate(word, columns));
  }
  return lines;
}
