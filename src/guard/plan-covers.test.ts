import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../protocol/json.ts";
import { covers } from "./plan.ts";
import { context, send, shown, step, toolNamed } from "./testing/planned.ts";

describe("texts that are written later", () => {
  const laterOf = (properties: JsonSchema) => {
    const tool = toolNamed("send", { type: "object", properties: { to: { type: "string" }, ...properties } });
    return shown([step("send", { to: "bob" })], { tools: [tool] }).steps[0]?.later ?? [];
  };
  const text = { type: "string" };

  it("are plain strings, which may be left out", () => {
    expect(laterOf({ body: text, note: { type: ["string", "null"] } })).toEqual(["body", "note"]);
    expect(laterOf({ body: { anyOf: [text, { type: "null" }] } })).toEqual(["body"]);
  });

  it.each([
    ["a choice", { type: "string", enum: ["a"] }],
    ["a format", { type: "string", format: "email" }],
    ["one value", { type: "string", const: "a" }],
    ["a number", { type: "number" }],
    ["a number or a text", { type: ["string", "number"] }],
    ["either a text or a number", { anyOf: [text, { type: "number" }] }],
    ["nothing", { anyOf: [{ type: "null" }] }],
    ["anything", {}],
    ["no schema", true],
  ])("are not %s", (_, schema) => {
    expect(laterOf({ body: schema })).toEqual([]);
  });

  it("are found in objects and lists, four levels deep", () => {
    const object = (properties: JsonSchema) => ({ type: "object", properties });
    expect(laterOf({ mail: object({ body: text }) })).toEqual(["mail.body"]);
    expect(laterOf({ mails: { type: "array", items: object({ body: text }) } })).toEqual(["mails.body"]);
    const deep = { a: object({ b: object({ c: object({ body: text }) }) }) };
    expect(laterOf(deep)).toEqual(["a.b.c.body"]);
    expect(laterOf({ z: object(deep) })).toEqual([]);
  });
});

describe("a step covers only", () => {
  const covered = (targets: unknown, args: unknown, tool = send) => {
    const [one] = shown([step(tool.name, targets)], { tools: [tool] }).steps;
    return covers(one ?? expect.fail(), { tool, args: args as Record<string, unknown>, context });
  };
  const any = toolNamed("any", { type: "object", properties: { a: {}, b: {}, c: { default: 1 } } });

  it("the same tool in the same version", () => {
    const [one] = shown([step("send", { to: "bob" })]).steps;
    const args = { to: "bob" };
    expect(covers(one ?? expect.fail(), { tool: { ...send, version: "2" }, args, context })).toBe(false);
    expect(covers(one ?? expect.fail(), { tool: { ...send, name: "find" }, args, context })).toBe(false);
  });

  it.each([
    ["a value that is to be missing", { a: "x", b: null }, { a: "x" }],
    ["an empty value", { a: [] }, { a: [] }],
    ["an empty object", { a: {} }, { a: {} }],
    ["a switch written as text", { a: "true" }, { a: true }],
    ["the default of an argument", { a: "x" }, { a: "x", c: 1 }],
    ["an argument without a value", { a: "x" }, { a: "x", b: undefined }],
    ["values in the declared order", ["x", "y"], { b: "y", a: "x" }],
    ["undeclared arguments after them", ["x", "y"], { z: "y", a: "x" }],
  ])("%s", (_, targets, args) => {
    expect(covered(targets, args, any)).toBe(true);
  });

  it.each([
    ["not a value that is to be missing", { a: "x", b: null }, { a: "x", b: "y" }],
    ["not something in an empty value", { a: {} }, { a: { b: 1 } }],
    ["not an empty value of another kind", { a: "x" }, { a: {} }],
    ["not an object written as text", { a: "[object Object]" }, { a: { b: {} } }],
    ["not another default", { a: "x" }, { a: "x", c: 2 }],
    ["not what every object has", { a: "x" }, { a: "x", toString: "y" }],
    ["not fewer values", ["x", "y"], { a: "x" }],
    ["not one of two values", ["x", "y"], { a: "x", b: "z" }],
    ["not text that begins like an address", { a: "https://" }, { a: "HTTPS://" }],
    ["not an address inside of text", { a: "see http://h.example" }, { a: "see http://H.example" }],
  ])("%s", (_, targets, args) => {
    expect(covered(targets, args, any)).toBe(false);
  });

  it("texts that are written later, also in an object that the person saw empty", () => {
    const object = (properties: JsonSchema) => ({ type: "object", properties });
    const text = { type: "string" };
    const mails = toolNamed("mails", object({ to: text, mail: object({ body: text, cc: text }) }));
    expect(covered({ to: "bob", mail: {} }, { to: "bob", mail: { body: "Hi" } }, mails)).toBe(true);
    expect(covered({ to: "bob", mail: {} }, { to: "bob", mail: { cc: "eve" } }, mails)).toBe(false);
  });

  it("an address in the same meaning, also without TLS", () => {
    expect(covered({ a: "http://H.example" }, { a: "http://h.example/" }, any)).toBe(true);
  });
});
