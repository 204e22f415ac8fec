import { expect, it } from "vitest";
import { policyFile } from "./policy.ts";
import { ruleWarnings } from "./policy-warnings.ts";

function warned(rule: object) {
  const [parsed] = policyFile.parse({ rules: [{ action: "allow", ...rule }] }).rules;
  return ruleWarnings(parsed ?? expect.fail()).map(({ code, values }) => ({ code, ...values }));
}

const ofCommand = (command: string) => warned({ tool: "execute_command", match: { command } });

it.each([
  ["also_allows", "^git .*$", "git push --force"],
  ["also_allows", "rm", "rm notes.txt"],
])("says with %s which command a rule also allows: %s", (code, source, command) => {
  expect(ofCommand(source)).toEqual([{ code, pattern: JSON.stringify(source), command }]);
});

it.each([
  ["matches_inside", "git status$"],
  ["matches_inside", "^git status$|git log$"],
  ["matches_inside", "git log$|^git status$"],
  ["matches_inside", "(git status|git log)$"],
  ["open_end", "^git status"],
  ["open_end", "^git status$|^git log"],
  ["open_end", "^git (?:status$|log)"],
  ["open_end", "^cost \\$"],
  ["open_end", "^cost$x"],
  ["open_end", "(^git status$|^git log)"],
  ["open_end", "(?:^git status$|^git log)"],
  ["open_options", "^git diff .*$"],
  ["open_options", "^git diff \\S+$"],
  ["open_options", "^git diff [^;|]*$"],
  ["open_options", "^git diff [^;]{2,}$"],
  ["open_options", "^git diff [a-z\\sA-Z]+$"],
])("says with %s what is wrong with %s", (code, source) => {
  expect(ofCommand(source)).toEqual([{ code, pattern: JSON.stringify(source) }]);
});

it.each([
  "^git status$",
  "^cost \\\\$",
  "^git log [a|b]$",
  "^git (?:log|status)$",
  "^git ((a|b)|c)$",
  "(^git status$|^git log$)",
  "(?:^git status$|^git log$)",
  "^git log \\w+$",
  "^git log [ab]+$",
  "^git log \\(x$",
  "^git log \\|x$",
])("says nothing about %s", (source) => {
  expect(ofCommand(source)).toEqual([]);
});

it("tells rules for every change from rules for some", () => {
  expect(warned({})).toEqual([{ code: "allows_every_change" }]);
  expect(warned({ effect: "write" })).toEqual([{ code: "allows_every_change" }]);
  expect(warned({ tool: "send", effect: "write" })).toEqual([{ code: "allows_every_change_of_tool" }]);
  expect(warned({ tool: "send" })).toEqual([]);
  expect(warned({ effect: "read" })).toEqual([]);
  expect(warned({ effect: "write", match: { path: "^a$" } })).toEqual([]);
  expect(warned({ effect: "write", match: {} })).toEqual([{ code: "allows_every_change" }]);
});
