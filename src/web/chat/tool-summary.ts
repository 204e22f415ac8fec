import { isObject, parseObject } from "../../protocol/json.ts";
import { t } from "../text/t.ts";

const NAMES = ["task", "command", "query", "url", "path", "prompt", "title", "timeZone", "operation", "name"];
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

/** Formats a result for reading: of a command's JSON, what it printed and how it ended. */
export function outputText(output: string): string {
  const { exit_code: code, stdout, stderr, stopped } = parseObject(output) ?? {};
  if (typeof code !== "number" || typeof stdout !== "string" || typeof stderr !== "string") return output;
  const ended = typeof stopped === "string" ? stopped : code === 0 ? "" : t("exitCode", { code });
  return [stdout, stderr, ended]
    .map((part) => part.trimEnd())
    .filter(Boolean)
    .join("\n");
}
