import { describe, expect, it } from "vitest";
import { isAllowed } from "./allow.ts";
import { parseAllowRule } from "./allow-rule.ts";

function allows(rule: string, args: unknown, toolName = "execute_command"): boolean {
  return isAllowed([parseAllowRule(rule)], { toolName, arguments: args, always: {} });
}

describe("--allow-tool", () => {
  it("covers a whole tool, or the commands that begin with a prefix", () => {
    expect(allows("execute_command", { command: "anything; at all" })).toBe(true);
    expect(allows("execute_command:git status", { command: "git status --short" })).toBe(true);
    expect(allows("execute_command:git status", { command: "git status" })).toBe(true);
    expect(allows("execute_command:git status", { command: "git push" })).toBe(false);
    expect(allows("filesystem:write docs/", { operation: "write", path: "docs/a.md" }, "filesystem")).toBe(
      true,
    );
    expect(allows("filesystem:write docs/", { operation: "delete", path: "docs/a.md" }, "filesystem")).toBe(
      false,
    );
    expect(allows("filesystem", {}, "execute_command")).toBe(false);
  });

  it("covers a file that runs later only if it is named in full", () => {
    const hook = { operation: "write", path: ".git/hooks/pre-commit" };
    expect(allows("filesystem", hook, "filesystem")).toBe(false);
    expect(allows("filesystem:write", hook, "filesystem")).toBe(false);
    expect(allows("filesystem:write .git/hooks/pre-commit", hook, "filesystem")).toBe(true);
    expect(allows("filesystem", { operation: "read", path: ".git/config" }, "filesystem")).toBe(true);
    // A link to one: the server asks each time.
    const linked = { toolName: "filesystem", arguments: { operation: "write", path: "docs/link" } };
    for (const rule of ["filesystem", "filesystem:write docs/", "filesystem:write docs/link"])
      expect(isAllowed([parseAllowRule(rule)], linked)).toBe(false);
  });

  it("covers neither a plan nor what text from outside may have suggested", () => {
    const call = { toolName: "execute_command", arguments: { command: "git status" } };
    const rules = [parseAllowRule("execute_command")];
    expect(isAllowed(rules, call)).toBe(true);
    expect(isAllowed(rules, { ...call, outside: true })).toBe(false);
    expect(isAllowed(rules, { ...call, plan: { steps: [] } })).toBe(false);
  });

  it.each([
    "git statusx",
    "git status; rm -rf x",
    "git status && curl example.com",
    "git status | sh",
    "git status > /tmp/x",
    "git status $(rm x)",
    "git status `rm x`",
    "git status \nrm x",
    `git status $${"{IFS}"}`,
    "git status & rm x",
  ])("covers nothing beyond the prefix: %j", (command) => {
    expect(allows("execute_command:git status", { command })).toBe(false);
  });

  it("does not cover a path that only begins like the prefix", () => {
    const allowed = (args: unknown) => allows("filesystem:move docs/", args, "filesystem");
    expect(allowed({ operation: "move", path: "docs/a", destination: "docs/b" })).toBe(true);
    expect(allowed({ operation: "move", path: "docs/../src/a", destination: "docs/b" })).toBe(false);
    expect(allowed({ operation: "move", path: "docs/a", destination: "docs/../.env" })).toBe(false);
    expect(allowed({ operation: "move", path: "docs/a", destination: ".env" })).toBe(false);
  });

  it("requires a name", () => {
    expect(() => parseAllowRule(":git")).toThrow(/name of a tool/);
  });
});
