import { expect, it } from "vitest";
import type { JsonSchema } from "./json.ts";
import { jsonIssue } from "./json-answer.ts";

/** A schema with a definition `d0`, which the answer's field `a` follows. */
function withDefinitions($defs: Record<string, JsonSchema>): JsonSchema {
  return { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, required: ["a"], $defs };
}

it("names what breaks a schema", () => {
  const optional: JsonSchema = { anyOf: [{ $ref: "#/$defs/d1" }, { type: "null" }] };
  const schema = withDefinitions({ d0: optional, d1: { type: "object", required: ["b"] } });
  expect(jsonIssue('{"a":{"b":1}}', schema)).toBeUndefined();
  expect(jsonIssue('{"a":3}', schema)).toContain("a: ");
});

it("checks a tree that refers to itself", () => {
  const tree: JsonSchema = {
    type: "object",
    properties: { in: { type: "array", items: { $ref: "#/$defs/d0" } } },
  };
  expect(jsonIssue('{"a":{"in":[{"in":[]},{"in":3}]}}', withDefinitions({ d0: tree }))).toContain(
    "a.in.1.in",
  );
});

it("tries no pattern of a caller: it could take forever", () => {
  const a = { type: "string", pattern: "^(a+)+$" };
  const schema: JsonSchema = { type: "object", properties: { a }, patternProperties: { "^(b+)+$": a } };
  const answer = JSON.stringify({ a: `${"a".repeat(60)}!`, [`${"b".repeat(60)}!`]: "c" });
  expect(jsonIssue(answer, schema)).toBeUndefined();
});

it("still knows fields that are called pattern or format", () => {
  const schema: JsonSchema = {
    type: "object",
    properties: { pattern: { type: "string" }, format: { type: "string" } },
  };
  expect(jsonIssue('{"pattern":1}', schema)).toContain("pattern");
});

it("does not unfold a schema that doubles with every reference", () => {
  const twice = (at: number): JsonSchema => ({
    anyOf: [{ $ref: `#/$defs/d${at}` }, { $ref: `#/$defs/d${at}` }],
  });
  const levels = Array.from({ length: 60 }, (_, at): [string, JsonSchema] => [`d${at}`, twice(at + 1)]);
  const doubled = withDefinitions(Object.fromEntries([...levels, ["d60", { type: "string" }]]));
  expect(jsonIssue('{"a":1}', doubled)).toBeUndefined();
});

it("does not follow choices that all lead back to themselves", () => {
  const list: JsonSchema = { type: "array", items: { $ref: "#/$defs/d0" } };
  const deep = `{"a":${"[".repeat(60)}1${"]".repeat(60)}}`;
  expect(jsonIssue(deep, withDefinitions({ d0: { anyOf: [list, list] } }))).toBeUndefined();
});

it("does not follow a long chain of definitions, as standards of health care and finance have", () => {
  const chain = (length: number) => {
    const link = (at: number): JsonSchema => ({ properties: { b: { $ref: `#/$defs/d${at + 1}` } } });
    const links = Array.from({ length }, (_, at) => [`d${at}`, { type: "object", ...link(at) }]);
    return withDefinitions({ ...Object.fromEntries(links), [`d${length}`]: { type: "string" } });
  };
  expect(jsonIssue('{"a":1}', chain(20))).toContain("a: ");
  expect(jsonIssue('{"a":1}', chain(200))).toBeUndefined();
});
