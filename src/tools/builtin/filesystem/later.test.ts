import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { decide, policyFile } from "../../../guard/policy.ts";
import { toolContext } from "../testing/context.ts";
import filesystem from "./index.ts";

const NOTHING = { outside: [], workspace: [], privateReads: [], suspicious: [], personTexts: [] };
let root: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "later-")));
  await mkdir(join(root, ".git/hooks"), { recursive: true });
  await symlink(".git/hooks", join(root, "plain"));
});
afterAll(() => rm(root, { recursive: true }));

/** What is decided where “always” was said to every operation, and the policy allows them too. */
function verdictOf(args: Record<string, unknown>) {
  const parsed = filesystem.parse(args);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const policy = policyFile.parse({ rules: [{ tool: "filesystem", action: "allow" }] });
  const remembered = ["write", "edit", "move", "delete"].map((operation) => `filesystem: ${operation}`);
  const call = { tool: filesystem, args: parsed.value, context: toolContext({ roots: [root] }) };
  return decide(policy, call, NOTHING, new Set(remembered));
}

it.each([
  { operation: "write", path: ".git/hooks/pre-commit", content: "rm -rf ~" },
  { operation: "write", path: "src/../.envrc", content: "x" },
  { operation: "write", path: "plain/pre-commit", content: "x" },
  { operation: "edit", path: "package.json", oldText: "a", newText: "b" },
  { operation: "edit", path: ".git/config", oldText: "a", newText: "b" },
  { operation: "move", path: "notes", destination: ".vscode" },
  { operation: "move", path: "notes", destination: ".github" },
  { operation: "move", path: "AGENTS.md", destination: "old.md" },
  { operation: "delete", path: ".github/workflows/ci.yml" },
])("asks each time before $operation of $path, marked as running later", (args) => {
  const verdict = verdictOf(args);
  expect(verdict).toMatchObject({ action: "ask", risk: "high" });
  expect(verdict).toHaveProperty("reason", expect.stringContaining("runs later, outside of the sandbox"));
  expect(verdict).not.toHaveProperty("always");
});

it.each([
  { operation: "write", path: "src/index.ts", content: "x" },
  { operation: "read", path: ".git/config" },
  { operation: "move", path: "a.txt", destination: "b.txt" },
])("leaves $operation of $path to the rules", (args) => {
  expect(verdictOf(args).action).toBe("allow");
});
