import type { Action } from "./action.ts";
import { clausesOf } from "./clauses.ts";

const HELPERS = "(?:an?|one|two|three|four|some|several)?\\s*(?:helpers?|child(?:ren| runs?)?|sub-?agents?)";
/** "Delegate: …", "delegate this to a helper: …", "let two helpers …". */
const WANTED = new RegExp(
  `^(?:please\\s+|can you\\s+)?(?:delegate\\b(?:\\s+(?:this|these|it|the following))?(?:\\s+(?:tasks?|work))?(?:\\s+to\\s+${HELPERS})?\\s*[:,]?\\s*(?:to\\s+)?|(?:let|have|ask|use)\\s+${HELPERS}\\s*[:,]?\\s*(?:to\\s+)?)([\\s\\S]+)$`,
  "i",
);
const MOST_TASKS = 4;

/** Plans one child run for each task that a message wants to give away. */
export function delegations(message: string): Action[] {
  const wanted = WANTED.exec(message.trim())?.[1];
  if (wanted === undefined) return [];
  return clausesOf(wanted)
    .slice(0, MOST_TASKS)
    .map((task) => ({ tool: "delegate", arguments: { task }, aim: `a helper for “${task}”` }));
}
