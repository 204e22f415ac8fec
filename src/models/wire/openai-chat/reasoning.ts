import { isObject, type JsonObject } from "../../../protocol/json.ts";

/**
 * Splits `<think>…</think>`, or the tags of another model, at the start of a text from the answer after it, however the text is
 * split into packets.
 */
export interface ThinkSplitter {
  push(text: string): void;
  /** Returns text that was held back because it could have become a tag. */
  end(): void;
}

/** DeepSeek, Qwen and most others; then Claude's imitators, Gemma, Mistral, Seed and Kimi. */
const TAGS = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["[THINK]", "[/THINK]"],
  ["<seed:think>", "</seed:think>"],
  ["◁think▷", "◁/think▷"],
] as const;

/** Starts splitting; `onText` and `onReasoning` are called with pieces in order. */
export function splitThinking(
  onText: (text: string) => void,
  onReasoning: (text: string) => void,
): ThinkSplitter {
  let state: "start" | "thinking" | "gap" | "text" = "start";
  let held = "";
  let closing = "";

  function start(): void {
    const begun = held.trimStart();
    const found = TAGS.find(([open]) => begun.startsWith(open));
    if (found) {
      state = "thinking";
      closing = found[1];
      held = begun.slice(found[0].length);
      thinking();
    } else if (!TAGS.some(([open]) => open.startsWith(begun))) flushAsText();
  }

  function thinking(): void {
    const close = held.indexOf(closing);
    if (close === -1) {
      const keep = partialEnd(held, closing);
      if (held.length > keep) onReasoning(held.slice(0, held.length - keep));
      held = held.slice(held.length - keep);
      return;
    }
    if (close > 0) onReasoning(held.slice(0, close));
    held = held.slice(close + closing.length);
    gap();
  }

  /** Blank lines part the thoughts from the answer, mostly in packets of their own. */
  function gap(): void {
    state = "gap";
    held = held.trimStart();
    if (held !== "") flushAsText();
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
      else if (state === "thinking") thinking();
      else gap();
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

/** Where few vendors and gateways put their reasoning: Copilot, and stand-ins for Ollama and Gemini. */
export const RARE_REASONING = ["reasoning_text", "thinking", "thinking_content", "thought"] as const;

/** The readable text of reasoning: a text, an object with one, or a list of them. */
export function readableText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(readableText).join("");
  if (!isObject(value)) return "";
  const readable = value.text ?? value.summary ?? value.content;
  return typeof readable === "string" ? readable : "";
}
