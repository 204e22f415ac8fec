import type { Action } from "./action.ts";
import { clausesOf } from "./clauses.ts";
import type { Conversation } from "./conversation.ts";
import { builtInName } from "./offered.ts";

type Item = { text: string; state: "open" | "doing" | "done" };

const MOST_ITEMS = 8;
/** "Keep a todo list: …", "work through these steps: …", "use the todo tool for: …". */
const WANTED =
  /\b(?:to-?do(?:s| list| tool)?|check ?list|(?:these|the following) (?:steps|tasks|things)|step by step|plan)\b[^:\n]{0,60}:\s*([\s\S]+)/i;
/** "Keep a todo list while you …", "… and keep a todo list". */
const KEPT =
  /(?:,?\s*(?:and|while you|with))?\s*\b(?:keep|use|maintain|make)(?:ing)?\s+(?:an?\s+|the\s+|your\s+)?to-?do(?:\s+(?:list|tool))?\b(?:\s+(?:while(?: you)?|and|to|as you|for(?: this)?))?/i;
const BULLET = /^\s*(?:[-*•]|\d{1,2}[.)]|\[[ x]?\])\s*/;

/** Returns the steps that a message asks to keep a list of, or none. */
export function stepsIn(message: string): string[] {
  const wanted = WANTED.exec(message)?.[1];
  if (wanted === undefined)
    return KEPT.test(message) && !/\b(?:in|with) (?:react|html)\b|\bapp\b/i.test(message)
      ? clausesOf(message.replace(KEPT, " ")).slice(0, MOST_ITEMS)
      : [];
  const lines = wanted.split("\n").filter((line) => line.trim() !== "");
  const pieces =
    lines.length > 1
      ? lines
      : wanted.split(/[;,]\s*(?:and\s+)?(?:then\s+)?|\s+(?:and\s+)?then\s+|\s+and\s+/i);
  return pieces
    .map((piece) =>
      piece
        .replace(BULLET, "")
        .replace(/[.\s]+$/, "")
        .trim(),
    )
    .filter((piece) => piece !== "")
    .slice(0, MOST_ITEMS);
}

/** Returns the list when `done` of the steps are done. */
export function todoAction(steps: readonly string[], done: number): Action {
  const items = steps.map(
    (text, at): Item => ({ text, state: at < done ? "done" : at === done ? "doing" : "open" }),
  );
  return { tool: "todo", arguments: { items }, aim: `the list, with ${done} of ${steps.length} done` };
}

/** Returns how many steps are done, and whether the calls of the current one are still to be made. */
export function progressOf({ now }: Conversation): { lists: number; begun: boolean } {
  const isList = now.calls.map(({ name }) => builtInName(name) === "todo");
  return { lists: isList.filter(Boolean).length, begun: isList.at(-1) === false };
}
