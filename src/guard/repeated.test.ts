import { expect, it } from "vitest";
import { z } from "zod";
import { isRepeated } from "./repeated.ts";
import { contextOf, exampleTool, nothing } from "./testing/guarded.ts";

const tool = exampleTool("send", {
  input: z.object({
    to: z.string(),
    user_name: z.string().optional(),
    priority: z.string().default("low"),
  }),
  aliases: ["post"],
});
const context = contextOf({ id: "ada", kind: "account" });

/** Whether a call is repeated after these, of which the last is the call itself. */
function repeated(args: object, ...before: (object | string)[]): boolean {
  const calls = [...before, args].map((one) => ({
    name: "send",
    arguments: typeof one === "string" ? one : JSON.stringify(one),
  }));
  return isRepeated({ tool, args, context }, { ...nothing, calls });
}

it("a call is repeated that the session has before, in whatever spelling", () => {
  expect(repeated({ to: "bob" }, { to: "bob" })).toBe(true);
  expect(repeated({ to: "bob" }, { to: " BOB " })).toBe(true);
  expect(repeated({ to: "bob b" }, { to: "bob \n b" })).toBe(true);
  expect(repeated({ to: "bob" }, { to: "bob", priority: "low" })).toBe(true);
  expect(repeated({ to: "bob", user_name: "b" }, { userName: "b", to: "bob" })).toBe(false);
  expect(repeated({ to: "bob", user_name: "b" }, { user_name: "b", to: "bob" })).toBe(true);
});

it("a call is repeated under an old name of its tool, and not under another", () => {
  const calls = (name: string) =>
    ["send", name].map((one) => ({ name: one, arguments: JSON.stringify({ to: "bob" }) }));
  const args = { to: "bob" };
  expect(isRepeated({ tool, args, context }, { ...nothing, calls: calls("post") })).toBe(true);
  expect(isRepeated({ tool, args, context }, { ...nothing, calls: calls("find") })).toBe(false);
});

it("a call is not repeated that is the first of its kind", () => {
  expect(repeated({ to: "bob" })).toBe(false);
  expect(repeated({ to: "bob" }, { to: "ann" })).toBe(false);
  expect(repeated({ to: "bob" }, { to: "b ob" })).toBe(false);
  expect(repeated({ to: "bob" }, { to: "bob", user_name: "b" })).toBe(false);
  expect(repeated({ to: "ab", user_name: "c" }, { to: "a", user_name: "bc" })).toBe(false);
  expect(repeated({ to: "bob" }, "{")).toBe(false);
  expect(isRepeated({ tool, args: { to: "bob" }, context }, nothing)).toBe(false);
});
