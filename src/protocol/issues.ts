import type { z } from "zod";
import { cutText } from "./clean-text.ts";
import type { ParameterIssue } from "./tool.ts";

const MAX_ISSUES = 5;
const MAX_KEYS = 5;
const MAX_KEY_CHARACTERS = 30;
const MAX_CHARACTERS = 200;

/** Returns the first few problems that a schema found, each bounded, and then how many more there are. */
export function shownIssues({ issues }: z.ZodError): ParameterIssue[] {
  const shown = issues.slice(0, MAX_ISSUES).map((issue) => ({
    path: cutText(issue.path.join("."), MAX_CHARACTERS),
    message: cutText(messageOf(issue), MAX_CHARACTERS),
  }));
  const more = issues.length - shown.length;
  return more === 0 ? shown : [...shown, { path: "", message: `and ${count(more)} more` }];
}

/** Names the first few unexpected keys, and says how many more there are. */
export function unknownKeys(keys: readonly string[]): string {
  const named = keys.slice(0, MAX_KEYS).map((key) => `"${key.slice(0, MAX_KEY_CHARACTERS)}"`);
  const more = keys.length - named.length;
  const rest = more === 0 ? "" : ` and ${count(more)} more`;
  return `Unrecognized key${keys.length === 1 ? "" : "s"}: ${named.join(", ")}${rest}`;
}

function messageOf(issue: z.core.$ZodIssue): string {
  return issue.code === "unrecognized_keys" ? unknownKeys(issue.keys) : issue.message;
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}
