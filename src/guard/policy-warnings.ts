import type { RuleWarning } from "../protocol/policy-book.ts";
import { because, type Reason, type ReasonCode, reasonText } from "../protocol/reasons.ts";
import type { Policy } from "./policy.ts";

/** What an expression that is meant for harmless commands must not match. */
const DESTROYERS = [
  "rm notes.txt",
  "mv src old",
  "sh -c 'rm notes.txt'",
  "env rm notes.txt",
  "A=1 rm notes.txt",
  "xargs rm",
  "find . -delete",
  "sed -i 1d notes.txt",
  "node -e 1",
  "python3 -c 1",
  "npx evil",
  "npm exec evil",
  "npm install evil",
  "npm run clean",
  "make clean",
  "git push --force",
  "git reset --hard",
  "git clean -f",
  "git checkout .",
  "git branch -D main",
  "git config core.fsmonitor evil",
  "docker rm box",
  "curl example.org",
];

/** Returns a sentence about each part of a policy that allows more than it seems to. */
export function policyWarnings(policy: Policy): string[] {
  const warnings = policy.rules.flatMap((rule, index) =>
    ruleWarnings(rule).map(({ message }) => `Rule ${index + 1}: ${message}`),
  );
  return [...warnings, ...defaultWarnings(policy).map(({ message }) => `default.write: ${message}`)];
}

/** Returns what is to be said about a rule that allows more than it seems to. */
export function ruleWarnings({ action, tool, effect, match }: Policy["rules"][number]): RuleWarning[] {
  if (action !== "allow") return [];
  const expression = match?.command;
  if (expression) return commandWarnings(expression);
  if (match && Object.keys(match).length > 0) return [];
  if (tool === "execute_command") return [warning("allows_every_command")];
  return effect === "write" || (tool === undefined && effect === undefined)
    ? [warning(tool === undefined ? "allows_every_change" : "allows_every_change_of_tool")]
    : [];
}

/** The same about the defaults. */
export function defaultWarnings({ default: { write } }: Policy): RuleWarning[] {
  return write === "allow" ? [warning("allows_every_change")] : [];
}

/** Makes a warning: as data, and in English. */
export function warning(code: ReasonCode, values?: Reason["values"]): RuleWarning {
  const reason = because(code, values);
  return { ...reason, message: reasonText([reason]) };
}

function commandWarnings(expression: RegExp): RuleWarning[] {
  const pattern = JSON.stringify(expression.source);
  const branches = alternatives(expression.source);
  const found = DESTROYERS.find((command) => expression.test(command));
  if (found !== undefined) return [warning("also_allows", { pattern, command: found })];
  if (!branches.every((branch) => branch.startsWith("^"))) return [warning("matches_inside", { pattern })];
  if (!branches.every((branch) => /[^\\](?:\\\\)*\$$/.test(branch)))
    return [warning("open_end", { pattern })];
  if (/(?:\.|\\[SDW]|\[\^[^\]]*\]|\[[^\]]*\\s[^\]]*\])(?:[*+]|\{\d*,)/.test(expression.source))
    return [warning("open_options", { pattern })];
  return [];
}

/** Splits an expression at the bars that stand outside of groups and classes. */
function alternatives(source: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const [token] of source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|./gsu)) {
    if (token === "(") depth++;
    if (token === ")") depth--;
    if (token === "|" && depth === 0) parts.push("");
    else parts[parts.length - 1] += token;
  }
  const [only = ""] = parts;
  // A group around everything: `^(?:a|b)$` is one part, `(?:^a$|^b$)` is looked into.
  const inner = parts.length === 1 ? /^\((?:\?:)?(.*)\)$/s.exec(only)?.[1] : undefined;
  return inner?.startsWith("^") ? alternatives(inner) : parts;
}
