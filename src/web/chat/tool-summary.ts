import { commandResult } from "../../protocol/commands.ts";
import { isObject } from "../../protocol/json.ts";
import { t } from "../text/t.ts";

const NAMES = [
  "task",
  "question",
  "command",
  "query",
  "url",
  "path",
  "prompt",
  "title",
  "timeZone",
  "operation",
  "name",
  "text",
];
const MAX_LENGTH = 90;

/** Sums up a call in a few words from its arguments. */
export function summaryOf(args: unknown): string {
  if (!isObject(args)) return "";
  if (Array.isArray(args.items)) return listSummary(args.items);
  // What is done with a file is said already.
  const names = typeof args.path === "string" ? ["path"] : NAMES;
  const pieces = names.flatMap((name) => (typeof args[name] === "string" ? [args[name]] : []));
  const text = (pieces.length > 0 ? pieces.slice(0, 2).join(" · ") : JSON.stringify(args)).replace(
    /\s+/g,
    " ",
  );
  if (text === "{}") return "";
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** How far a list is, and what is being done. */
function listSummary(items: unknown[]): string {
  const all = items.filter(isObject);
  const done = all.filter(({ state }) => state === "done").length;
  const doing = all.find(({ state }) => state === "doing")?.text;
  return [`${done}/${all.length}`, ...(typeof doing === "string" ? [doing] : [])].join(" · ");
}

/** Formats arguments for reading. */
export function argumentsText(args: unknown): string {
  return typeof args === "string" ? args : (JSON.stringify(args, null, 2) ?? "");
}

/** Formats a result for reading: of a command's JSON, what it printed and how it ended. */
export function outputText(output: string): string {
  const result = commandResult(output);
  if (!result) return output;
  const { printed, exitCode: code, stopped } = result;
  const ended = stopped ?? (code === 0 ? "" : t("exitCode", { code }));
  return [printed, ended].filter(Boolean).join("\n");
}
