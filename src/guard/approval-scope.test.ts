import { expect, it } from "vitest";
import { z } from "zod";
import { approvalScope, scopeKey, targetScope } from "./approval-scope.ts";
import { exampleTool } from "./testing/guarded.ts";

const tool = exampleTool("post", {
  input: z.object({ to: z.string().optional(), body: z.string().optional() }),
});
const served = { ...tool, source: "the MCP server mail" };

it("“always” covers the tool, and its operation where there is one", () => {
  expect(approvalScope({ tool, args: { to: "bob" } }, "write")).toStrictEqual({ tool: "post" });
  expect(approvalScope({ tool, args: { operation: "move" } }, "write")).toStrictEqual({
    tool: "post",
    operation: "move",
  });
  expect(approvalScope({ tool, args: [] }, "write")).toStrictEqual({ tool: "post" });
});

it("“always” covers the targets of a change by a server, and the tool if there are only texts", () => {
  expect(approvalScope({ tool: served, args: { to: "bob", body: "Hi" } }, "write")).toStrictEqual({
    tool: "post",
    targets: ['to: "bob"'],
  });
  expect(approvalScope({ tool: served, args: { body: "Hi" } }, "write")).toStrictEqual({ tool: "post" });
  expect(approvalScope({ tool: served, args: { to: "bob" } }, "read")).toStrictEqual({ tool: "post" });
});

it("targets are those of the call alone, with its command if it is one", () => {
  expect(targetScope({ tool, args: { to: "bob" } })).toStrictEqual({ tool: "post", targets: ['to: "bob"'] });
  expect(targetScope({ tool, args: { command: "ls" } })).toMatchObject({ tool: "post", command: "ls" });
  expect(targetScope({ tool, args: { body: "Hi" } })).toBeUndefined();
  expect(targetScope({ tool, args: {} })).toStrictEqual({ tool: "post", targets: [] });
});

it("each scope has its own key", () => {
  expect(scopeKey(undefined)).toBeUndefined();
  expect(scopeKey({ tool: "a" })).toBe("a");
  expect(scopeKey({ tool: "a", operation: "move" })).toBe("a: move");
  expect(scopeKey({ tool: "a", prefix: "git add" })).toBe("a: git add …");
  expect(scopeKey({ tool: "a", targets: ["to: 1"] })).toBe('a: ["to: 1"]');
});
