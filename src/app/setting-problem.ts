import type { z } from "zod";

/** Says what is wrong with a setting, to follow its name. Names the place inside of it, if it is a JSON object. */
export function problemOf({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return "is not valid";
  const place = issue.path.join(".");
  const problem = inWords(issue);
  return place === "" ? problem : `${place} ${problem}`;
}

function inWords(issue: z.core.$ZodIssue): string {
  // These have no message of ours.
  if (issue.code === "invalid_value") return `must be ${either(issue.values.map(String))}`;
  if (issue.code === "unrecognized_keys") return `has an unknown entry "${issue.keys[0]}"`;
  if (issue.code === "invalid_type" && issue.message.startsWith("Invalid input"))
    return `must be ${THINGS[issue.expected] ?? issue.expected}`;
  return issue.message;
}

const THINGS: Record<string, string> = {
  object: "a JSON object",
  record: "a JSON object",
  number: "a number",
  int: "a whole number",
  string: "a text",
};

function either(values: readonly string[]): string {
  return [values.slice(0, -1).join(", "), values.at(-1)].filter(Boolean).join(" or ");
}
