import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../protocol/define-tool.ts";
import type { ShownPlan } from "../protocol/plan.ts";
import type { Tool } from "../protocol/tool.ts";
import filesystem from "../tools/builtin/filesystem/index.ts";
import { covers, planToShow } from "./plan.ts";
import { contextOf, nothing } from "./testing/guarded.ts";

const context = contextOf({ id: "user_1", kind: "owner" }, { roots: ["/home/ada/project"] });

const send = defineTool({
  name: "send",
  description: "Sends.",
  effect: "write",
  retry: "unsafe",
  input: z.object({
    to: z.union([z.string(), z.array(z.string())]),
    from: z.string().optional(),
    cc: z.array(z.string()).optional(),
    amount: z.number().optional(),
    url: z.string().optional(),
    title: z.string().optional(),
    accountNote: z.string().optional(),
    emailBody: z.string().optional(),
    body: z.string().nullable().optional(),
    priority: z.enum(["low", "high"]).default("low"),
    copies: z.boolean().default(false),
  }),
  run: () => "sent",
});

function stepFor(tool: Tool, targets: unknown): ShownPlan["steps"][number] {
  const args = { steps: [{ tool: tool.name, targets, why: "" }] };
  const [step] = planToShow({ args, context }, [tool], nothing, () => undefined).steps;
  return step ?? expect.fail();
}
const isCovered = (targets: unknown, args: Record<string, unknown>, tool: Tool = send) =>
  covers(stepFor(tool, targets), { tool, args, context });

describe("a step covers a call", () => {
  it.each([
    ["with the same targets", { to: "bob" }, { to: "bob" }],
    ["with texts that are written later", { to: "bob" }, { to: "bob", body: "Hello", emailBody: "there" }],
    ["with the tool's own defaults", { to: "bob" }, { to: "bob", priority: "low", copies: false }],
    ["with what is not set", { to: "bob" }, { to: "bob", from: null }],
    ["with a number written as text", { to: "bob", amount: "10" }, { to: "bob", amount: 10 }],
    ["with a list of one", { to: "bob" }, { to: ["bob"] }],
    ["with the same list", { to: ["bob", "ann"] }, { to: ["bob", "ann"] }],
    ["by a list of values", ["bob", 10], { to: "bob", amount: 10, body: "Hello" }],
    ["by one value", "bob", { to: "bob", body: "Hello" }],
    ["by targets written as JSON text", '{"to":"bob"}', { to: "bob" }],
    [
      "with the same address",
      { to: "bob", url: "https://Example.org" },
      { to: "bob", url: "https://example.org/" },
    ],
  ])("%s", (_, targets, args) => {
    expect(isCovered(targets, args)).toBe(true);
  });

  it("that names a file in another way", () => {
    const write = (path: string) => ({ operation: "write", path, content: "text" });
    expect(isCovered({ path: "notes.md" }, write("./notes.md"), filesystem)).toBe(true);
    expect(isCovered({ path: "notes.md" }, write("/home/ada/project/notes.md"), filesystem)).toBe(true);
    expect(isCovered(["notes.md"], write("notes.md"), filesystem)).toBe(true);
    expect(isCovered({ operation: "write", path: "notes.md" }, write("notes.md"), filesystem)).toBe(true);
  });
});

describe("a step does not cover a call", () => {
  it.each([
    ["to somebody else", { to: "bob" }, { to: "eve" }],
    ["to somebody else as well", { to: "bob" }, { to: ["bob", "eve"] }],
    ["with a copy to somebody else", { to: "bob" }, { to: "bob", cc: ["eve"] }],
    ["that leaves a target out", { to: "bob", amount: 10 }, { to: "bob" }],
    ["with another amount", { to: "bob", amount: 10 }, { to: "bob", amount: 100 }],
    ["with an amount that nobody has seen", { to: "bob" }, { to: "bob", amount: 1 }],
    ["with a title, which may choose a target", { to: "bob" }, { to: "bob", title: "All" }],
    ["with a text under its own name", { to: "bob" }, { to: "bob", accountNote: "eve" }],
    [
      "with a longer address",
      { to: "a", url: "https://example.org/" },
      { to: "a", url: "https://example.org/?q=1" },
    ],
    [
      "with another host",
      { to: "a", url: "https://example.org" },
      { to: "a", url: "https://example.org.eve.net" },
    ],
    [
      "with another user in the address",
      { to: "a", url: "https://example.org/" },
      { to: "a", url: "https://e@example.org/" },
    ],
    ["with another choice", { to: "bob" }, { to: "bob", priority: "high" }],
    ["with a switch", { to: "bob" }, { to: "bob", copies: true }],
    ["with values exchanged", ["bob", "ann"], { to: "ann", from: "bob" }],
    ["with more values than its list", ["bob"], { to: "bob", from: "eve" }],
    ["by part of a value", ["bob"], { to: "bob@example.org" }],
    ["in other letters", { to: "bob" }, { to: "Bob" }],
    ["with a text that was fixed", { to: "bob", body: "Yes" }, { to: "bob", body: "No" }],
    ["without targets", {}, { to: "bob", body: "Hello" }],
    ["with a name that looks nested", { to: "bob", "a.b": "c" }, { to: "bob", a: { b: "c" } }],
    ["with the targets in its text", ["bob"], { to: "eve", body: "bob" }],
  ])("%s", (_, targets, args) => {
    expect(isCovered(targets, args)).toBe(false);
  });

  it("that destroys or moves what it only names", () => {
    const delete_ = { operation: "delete", path: "notes.md" };
    const move = { operation: "move", path: "notes.md", destination: "old.md" };
    expect(isCovered({ path: "notes.md" }, delete_, filesystem)).toBe(false);
    expect(isCovered({ operation: "delete", path: "notes.md" }, delete_, filesystem)).toBe(true);
    expect(isCovered({ path: "notes.md" }, move, filesystem)).toBe(false);
    expect(isCovered({ path: "notes.md", destination: "old.md" }, move, filesystem)).toBe(false);
  });

  it("that reaches the path by another way", () => {
    const write = (path: string) => ({ operation: "write", path, content: "text" });
    for (const path of ["a/../notes.md", "notes.md2", "Notes.md", "..\\notes.md", "sub/notes.md", "."])
      expect(isCovered({ path: "notes.md" }, write(path), filesystem)).toBe(false);
  });
});

it("a plan says which texts are written later, and none where nothing is fixed", () => {
  expect(stepFor(send, { to: "bob", body: "Yes" }).later).toEqual(["emailBody"]);
  expect(stepFor(send, {}).later).toBeUndefined();
});
