import { isObject } from "../../protocol/json.ts";

const NAMES = ["command", "query", "url", "path", "prompt", "title", "timeZone", "operation", "name"];
const MAX_LENGTH = 90;

/** Sums up a call in a few words from its arguments. */
export function summaryOf(args: unknown): string {
  if (!isObject(args)) return "";
  const pieces = NAMES.flatMap((name) => (typeof args[name] === "string" ? [args[name]] : []));
  const text = (pieces.length > 0 ? pieces.slice(0, 2).join(" · ") : JSON.stringify(args)).replace(
    /\s+/g,
    " ",
  );
  if (text === "{}") return "";
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** Formats arguments for reading. */
export function argumentsText(args: unknown): string {
  return typeof args === "string" ? args : (JSON.stringify(args, null, 2) ?? "");
}
