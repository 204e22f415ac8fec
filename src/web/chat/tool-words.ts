import { isObject } from "../../protocol/json.ts";

const TELLING = ["command", "query", "url", "path", "prompt", "title", "timeZone", "operation", "name"];
const MAX = 90;

/** What a call is about, in a few words out of its arguments. */
export function gistOf(args: unknown): string {
  if (!isObject(args)) return "";
  const pieces = TELLING.flatMap((name) => (typeof args[name] === "string" ? [args[name]] : []));
  const text = (pieces.length > 0 ? pieces.slice(0, 2).join(" · ") : JSON.stringify(args)).replace(
    /\s+/g,
    " ",
  );
  if (text === "{}") return "";
  return text.length > MAX ? `${text.slice(0, MAX)}…` : text;
}

/** Arguments as they are read most easily. */
export function writtenOut(args: unknown): string {
  return typeof args === "string" ? args : (JSON.stringify(args, null, 2) ?? "");
}
