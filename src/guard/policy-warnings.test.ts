import { describe, expect, it } from "vitest";
import { policyFile } from "./policy.ts";
import { policyWarnings } from "./policy-warnings.ts";

function warnings(command: string): string[] {
  const rules = [{ tool: "execute_command", match: { command }, action: "allow" }];
  return policyWarnings(policyFile.parse({ rules }));
}

describe("a rule that allows commands", () => {
  it.each([
    "^git ",
    "^git status",
    "^git status\\b",
    "git status$",
    "^git status$|^git log",
    "^git .*$",
    "^git diff [^;]*$",
    "^npm (test|run lint)\\b",
    "^npm run \\w+$",
    "^(env )?\\w+ notes.txt$",
    "^cost \\$",
    "^git (status$|log)",
  ])("is warned of for %j", (command) => expect(warnings(command)).toHaveLength(1));

  it("names the command, and says what else may follow", () => {
    expect(warnings("^git status")).toEqual([
      'Rule 1: "^git status" allows anything that follows, also options that delete or run something. End it with $.',
    ]);
  });

  it.each([
    "^git status$",
    "^npm (test|run lint)$",
    "^git log( --oneline)?$",
    "^git status$|^git log$",
    "(?:^make$|^make test$)",
  ])("is fine with %j", (command) => expect(warnings(command)).toEqual([]));
});

it("warns of what allows everything", () => {
  const rules = [
    { tool: "execute_command", action: "allow" },
    { effect: "write", action: "allow" },
    { effect: "read", action: "allow" },
    { tool: "execute_command", action: "ask" },
  ];
  expect(policyWarnings(policyFile.parse({ rules, default: { write: "allow" } }))).toEqual([
    "Rule 1: It allows every command.",
    "Rule 2: It allows every call that changes something.",
    "default.write: It allows every call that changes something.",
  ]);
});
