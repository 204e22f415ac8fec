import type { Action } from "./action.ts";
import { clausesOf } from "./clauses.ts";
import { builtInName } from "./offered.ts";

/** "Propose a plan: …", "plan to …", "plan: …". */
const WANTED =
  /^(?:please\s+|can you\s+|could you\s+)?(?:(?:propose|make|suggest)\s+(?:me\s+)?a\s+plan|plan)\b(?:\s*:|\s+(?:to|first)\b)?\s*:?\s*([\s\S]+)$/i;
const CHANGES = new Set<unknown>(["write", "edit", "move", "delete"]);
/** Texts are written later. */
const TEXTS = ["content", "oldText", "newText"];

/** Returns the requests of a message that wants a plan first, or none. */
export function requestsToPlan(message: string): string[] {
  const wanted = WANTED.exec(message.trim())?.[1];
  return wanted === undefined ? [] : clausesOf(wanted);
}

/** Returns the plan for these actions. Undefined if none of them changes anything. */
export function proposalFor(actions: readonly Action[]): Action | undefined {
  const steps = actions.filter(isChange).map(({ tool, arguments: given, aim }) => ({
    tool,
    targets: Object.fromEntries(Object.entries(given).filter(([name]) => !TEXTS.includes(name))),
    why: aim,
  }));
  if (steps.length === 0) return undefined;
  return { tool: "propose_plan", arguments: { steps }, aim: "your approval for what I am going to change" };
}

function isChange({ tool, arguments: { operation } }: Action): boolean {
  const known = builtInName(tool);
  return known === undefined || known === "execute_command" || CHANGES.has(operation);
}
