import { expect, test } from "vitest";
import { toolFromPlain } from "./plain-tool.ts";

const tool = toolFromPlain({
  name: "order",
  description: "Orders something.",
  effect: "write",
  parameters: {
    type: "object",
    required: ["item", "size"],
    properties: {
      item: { type: "string", minLength: 1, maxLength: 20 },
      size: { enum: ["small", "large"] },
      count: { type: "integer", minimum: 1, maximum: 9, default: 1 },
      address: {
        type: "object",
        required: ["street"],
        properties: { street: { type: "string" }, floor: { type: ["integer", "null"] } },
      },
      tags: {
        type: "array",
        items: { type: "object", properties: { key: { type: "string" } } },
        maxItems: 2,
      },
      extra: { type: "object" },
    },
  },
  run: (args) => args,
});

test("valid arguments are accepted, with defaults filled in", () => {
  const args = {
    item: "tea",
    size: "small",
    address: { street: "Main", floor: null },
    extra: { any: "thing" },
  };
  expect(tool.parse(args)).toEqual({ ok: true, value: { ...args, count: 1 } });
});

test.each([
  ["a missing field", { item: "tea" }],
  ["another type", { item: 1, size: "small" }],
  ["a value that is not offered", { item: "tea", size: "huge" }],
  ["a text that is too long", { item: "t".repeat(21), size: "small" }],
  ["a number out of range", { item: "tea", size: "small", count: 10 }],
  ["a fraction", { item: "tea", size: "small", count: 1.5 }],
  ["a nested field missing", { item: "tea", size: "small", address: {} }],
  ["a list that is too long", { item: "tea", size: "small", tags: [{}, {}, {}] }],
  ["an unknown key", { item: "tea", size: "small", surprise: 1 }],
  ["an unknown key in an object", { item: "tea", size: "small", address: { street: "Main", surprise: 1 } }],
  ["an unknown key in a list", { item: "tea", size: "small", tags: [{ surprise: 1 }] }],
  ["the key __proto__", JSON.parse('{"item":"tea","size":"small","__proto__":{"polluted":true}}')],
])("%s is refused", (_, args) => {
  expect(tool.parse(args).ok).toBe(false);
});

test("other keys are passed on if the author allows them", () => {
  const open = toolFromPlain({
    name: "open",
    description: "Takes anything.",
    effect: "none",
    parameters: { type: "object", properties: {}, additionalProperties: true },
    run: () => "",
  });
  expect(open.parse({ anything: 1 })).toEqual({ ok: true, value: { anything: 1 } });
});

test("a tool without parameters accepts no arguments", () => {
  const bare = toolFromPlain({ name: "bare", description: "Takes nothing.", effect: "none", run: () => "" });
  expect(bare.parse({}).ok).toBe(true);
  expect(bare.parse({ a: 1 }).ok).toBe(false);
});

test.each([
  [{ name: "9lives" }, "name:"],
  [{ name: "a".repeat(65) }, "name:"],
  [{ description: " " }, "description:"],
  [{ retry: "always" }, "retry:"],
  [{ trust: "maybe" }, "trust:"],
  [{ timeoutMs: -1 }, "timeoutMs:"],
  [{ parameters: { type: "object", properties: { a: { type: "nonsense" } } } }, "nonsense"],
])("%j is refused with the name of the wrong field", (wrong, words) => {
  const plain = { name: "good", description: "Good.", effect: "none", run: () => "", ...wrong };
  expect(() => toolFromPlain(plain as never)).toThrow(words);
});
