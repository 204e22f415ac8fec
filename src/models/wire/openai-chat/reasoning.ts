import { isObject, type JsonObject } from "../../../protocol/json.ts";

/** Splits `<think>…</think>` at the start of a text from the answer after it, however the text is split into packets. */
export interface ThinkSplitter {
  push(text: string): void;
  /** Returns text that was held back because it could have become a tag. */
  end(): void;
}

const OPEN = "<think>";
const CLOSE = "</think>";

/** Starts splitting; `onText` and `onReasoning` are called with pieces in order. */
export function splitThinking(
  onText: (text: string) => void,
  onReasoning: (text: string) => void,
): ThinkSplitter {
  let state: "start" | "thinking" | "text" = "start";
  let held = "";

  function start(): void {
    const begun = held.trimStart();
    if (begun.startsWith(OPEN)) {
      state = "thinking";
      held = begun.slice(OPEN.length);
      thinking();
    } else if (!OPEN.startsWith(begun)) flushAsText();
  }

  function thinking(): void {
    const close = held.indexOf(CLOSE);
    if (close === -1) {
      const keep = partialEnd(held, CLOSE);
      if (held.length > keep) onReasoning(held.slice(0, held.length - keep));
      held = held.slice(held.length - keep);
      return;
    }
    if (close > 0) onReasoning(held.slice(0, close));
    held = held.slice(close + CLOSE.length).trimStart();
    flushAsText();
  }

  function flushAsText(): void {
    state = "text";
    if (held !== "") onText(held);
    held = "";
  }

  return {
    push(text) {
      if (state === "text") {
        onText(text);
        return;
      }
      held += text;
      if (state === "start") start();
      else thinking();
    },
    end() {
      if (state === "thinking" && held !== "") onReasoning(held);
      else if (held !== "") onText(held);
      held = "";
    },
  };
}

/** How many characters at the end of the text could be the beginning of the tag. */
function partialEnd(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (tag.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

/** Joins streamed pieces of `reasoning_details` to the blocks that have to go back. */
export function mergeDetails(details: JsonObject[], pieces: unknown[]): void {
  for (const piece of pieces) {
    if (!isObject(piece)) continue;
    const block = piece as JsonObject;
    const last = details.at(-1);
    if (last && continues(last, block)) {
      for (const [key, value] of Object.entries(block)) {
        if (key === "text" || key === "summary") last[key] = `${last[key] ?? ""}${value ?? ""}`;
        else if (value !== null && value !== "") last[key] = value;
      }
    } else details.push({ ...block });
  }
}

function continues(last: JsonObject, piece: JsonObject): boolean {
  if (last.type !== piece.type || last.index !== piece.index) return false;
  return piece.type === "reasoning.text" || piece.type === "reasoning.summary";
}

/** The readable text in pieces of `reasoning_details`. */
export function detailsText(pieces: unknown[]): string {
  let text = "";
  for (const piece of pieces) {
    if (!isObject(piece)) continue;
    const readable = piece.text ?? piece.summary;
    if (typeof readable === "string") text += readable;
  }
  return text;
}
