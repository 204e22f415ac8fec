import { describe, expect, it } from "vitest";
import { readArguments } from "../protocol/call-arguments.ts";
import { coerceToSchema } from "./repair.ts";

describe("arguments as the model wrote them", () => {
  it.each([
    ["", {}],
    ["  ", {}],
    ["null", {}],
    [' {"a": 1} ', { a: 1 }],
    ['"{\\"a\\": 1}"', { a: 1 }],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['```\n{"a": 1}```', { a: 1 }],
    ['```JSON  \n\n{"a": 1}\n```', { a: 1 }],
    ['{"a": [1, 2, ], }', { a: [1, 2] }],
    ['{"a": "x,}", }', { a: "x,}" }],
    ['{"a": "one\ntwo\r\tthree"}', { a: "one\ntwo\r\tthree" }],
    ['{"a": "a \\"quoted,]\n\\" word", }', { a: 'a "quoted,]\n" word' }],
    ['{"a": "back\\\\", }', { a: "back\\" }],
  ])("%j are read", (text, value) => {
    expect(readArguments(text)).toMatchObject({ ok: true, value });
  });

  it.each(["[1]", "7", "true", '"text"', '"[1]"', '{"a": 1', '{"a": "open', "```json\n[1]\n```", "text"])(
    "%j are not guessed",
    (text) => {
      expect(readArguments(text)).toEqual({ ok: false });
    },
  );

  it.each([
    ['{"a": 1}', false],
    ["", false],
    [" ", true],
    ["null", false],
    ['{"a": 1,}', true],
    ['"{}"', true],
  ])("%j: repaired is %s", (text, repaired) => {
    expect(readArguments(text)).toMatchObject({ repaired });
  });
});

describe("a value of the wrong type", () => {
  const coerced = (value: unknown, type: string) =>
    coerceToSchema({ value }, { type: "object", properties: { value: { type } } })?.value;

  it.each([
    ["integer", "5", 5],
    ["integer", "-12", -12],
    ["number", "5", 5],
    ["number", "-1.25", -1.25],
    ["boolean", "true", true],
    ["boolean", "false", false],
    ["array", "[1, 2]", [1, 2]],
    ["object", '{"a": 1}', { a: 1 }],
  ])("is converted to the %s in %j", (type, text, value) => {
    expect(coerced(text, type)).toEqual(value);
  });

  it.each([
    ["integer", "5.5"],
    ["integer", "5 apples"],
    ["integer", "about 5"],
    ["integer", "1234567890123456"],
    ["number", "1e5"],
    ["number", "1."],
    ["number", "v1.5"],
    ["number", "1.5.2"],
    ["number", ""],
    ["boolean", "yes"],
    ["boolean", "True"],
    ["array", '{"a": 1}'],
    ["array", "1, 2"],
    ["object", "[1]"],
    ["object", "{"],
    ["string", "true"],
    ["string", "5"],
    ["string", "[1]"],
    ["null", "{}"],
    ["integer", 5],
    ["boolean", true],
  ])("is not converted to %s: %j", (type, value) => {
    expect(coerced(value, type)).toBeUndefined();
  });

  it("is converted on its own, and only if the schema has its name", () => {
    const schema = { type: "object", properties: { a: { type: "integer" }, b: { type: "string" } } };
    expect(coerceToSchema({ a: "1", b: "2", c: "3", toString: "4" }, schema)).toEqual({
      a: 1,
      b: "2",
      c: "3",
      toString: "4",
    });
    expect(coerceToSchema({ a: "1" }, { type: "object" })).toBeUndefined();
    expect(coerceToSchema({ a: "1" }, { type: "object", properties: { a: true } })).toBeUndefined();
  });
});
