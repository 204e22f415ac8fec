import { describe, expect, it } from "vitest";
import { leavesOf, wordsOf } from "./leaves.ts";

const leaf = (path: string, name: string, value: string | number | boolean, isDefault = false) => ({
  path,
  name,
  value,
  isDefault,
});

it("a name is split into its words, however they are separated", () => {
  expect(wordsOf("replyTo")).toEqual(["reply", "to"]);
  expect(wordsOf("reply__to")).toEqual(["reply", "to"]);
  expect(wordsOf("mail.reply-to 2")).toEqual(["mail", "reply", "to", "2"]);
});

describe("the values of arguments", () => {
  it("have their path and the last name in it, and empty ones are left out", () => {
    const schema = { properties: { to: { items: {} }, count: {}, open: {}, none: {}, empty: {} } };
    expect(leavesOf({ to: ["ann", "bob"], count: 0, open: false, none: null, empty: "" }, schema)).toEqual([
      leaf("to.0", "to", "ann"),
      leaf("to.1", "to", "bob"),
      leaf("count", "count", 0),
      leaf("open", "open", false),
    ]);
  });

  it("include names that the schema does not know", () => {
    const schema = { properties: { to: {}, more: { properties: {} } } };
    expect(leavesOf({ to: "ann", extra: 1, more: { key: 2 } }, schema)).toEqual([
      leaf("to", "to", "ann"),
      leaf("extra", "extra", 1),
      leaf("extra", "", "extra"),
      leaf("more.key", "key", 2),
      leaf("more.key", "", "key"),
    ]);
    expect(leavesOf({ any: 1 }, {})).toEqual([leaf("any", "any", 1)]);
  });

  it("are defaults wherever the schema says so: beside others, or where it refers to", () => {
    const schema = {
      $defs: { "a/b": { properties: { mode: { default: "fast" } } }, "c~d": { default: 7 } },
      properties: {
        one: { $ref: "#/$defs/a~1b" },
        two: { anyOf: [{ type: "null" }, { $ref: "#/$defs/c~0d" }] },
        three: { $ref: "#/$defs/missing" },
        four: { $ref: "https://elsewhere.example/x" },
      },
    };
    expect(leavesOf({ one: { mode: "fast" }, two: 7, three: 7, four: 7 }, schema)).toEqual([
      leaf("one.mode", "mode", "fast", true),
      leaf("two", "two", 7, true),
      leaf("three", "three", 7),
      leaf("four", "four", 7),
    ]);
  });

  it("of a schema that refers to itself are found", () => {
    const schema = { properties: { inner: { $ref: "#" }, name: { default: "x" } } };
    expect(leavesOf({ inner: { inner: { name: "x" } } }, schema)).toEqual([
      leaf("inner.inner.name", "name", "x", true),
    ]);
  });
});
