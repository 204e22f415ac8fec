import { describe, expect, it, test } from "vitest";
import type { JsonSchema } from "../../../protocol/json.ts";
import { AWKWARD_SCHEMAS } from "../testing/awkward-schemas.ts";
import { type LoweredSchema, lowerSchema } from "./lower.ts";
import { profileOf } from "./profiles.ts";

const PROFILES = ["openai", "openai-chat", "anthropic", "gemini", "mistral", "openrouter", "language-model"];

function lowered(schema: unknown, profile = "openai", strict = false): LoweredSchema {
  const result = lowerSchema(schema, profileOf(profile, profile), strict);
  if ("reason" in result) throw new Error(result.reason);
  return result;
}

const ofProperty = (schema: unknown, profile?: string) => {
  const { properties } = lowered({ type: "object", properties: { p: schema } }, profile).schema;
  return (properties as Record<string, JsonSchema>).p;
};

describe.each(PROFILES)("for %s", (profile) => {
  test.each(AWKWARD_SCHEMAS)("$name: arguments come back as the tool wants them", ({ schema, args }) => {
    for (const strict of [false, true]) {
      const { toWire, fromWire } = lowered(schema, profile, strict);
      expect(fromWire(toWire(JSON.stringify(args)))).toBe(JSON.stringify(args));
    }
  });

  test.each(AWKWARD_SCHEMAS)("$name: the schema is one of an object with properties", ({ schema }) => {
    const { schema: written } = lowered(schema, profile);
    expect(written).toMatchObject({ type: "object", properties: expect.any(Object) });
    for (const key of ["anyOf", "oneOf", "allOf", "enum", "not", "$ref", "$defs"])
      expect(written).not.toHaveProperty(key);
    expect(JSON.stringify(written).length).toBeLessThan(256 * 1024);
  });
});

it("leaves an ordinary schema as it is", () => {
  const schema = {
    type: "object",
    properties: {
      query: { type: "string", description: "What to look for.", minLength: 1, maxLength: 500 },
      limit: { type: "integer", minimum: 1, maximum: 10, default: 5 },
      tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
    },
    required: ["query"],
    additionalProperties: false,
  };
  expect(lowered({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema }).schema).toEqual(
    schema,
  );
});

it("maps names at every depth, only where the schema lists them, and never to a name that is taken", () => {
  const inner = { type: "object", properties: { $filter: { type: "string" } } };
  const schema = {
    type: "object",
    properties: { $filter: inner, filter: { type: "string" }, free: { type: "object" } },
  };
  const { toWire, fromWire, schema: written } = lowered(schema, "anthropic");
  expect(Object.keys(written.properties as object)).toEqual(["filter_2", "filter", "free"]);
  const args = { $filter: { $filter: "a" }, filter: "b", free: { $filter: 1, filter_2: 2 } };
  const wire = '{"filter_2":{"filter_2":"a"},"filter":"b","free":{"$filter":1,"filter_2":2}}';
  expect(toWire(JSON.stringify(args))).toBe(wire);
  expect(fromWire(wire)).toBe(JSON.stringify(args));
});

it("gives back arguments that are not JSON as they are", () => {
  const { toWire, fromWire } = lowered({ type: "array" });
  expect(toWire('{"cut')).toBe('{"cut');
  expect(fromWire('{"cut')).toBe('{"cut');
});

it("unrolls a recursive schema a few times", () => {
  const text = JSON.stringify(ofProperty({ $ref: "#/properties/p", type: "object" }));
  expect(text.length).toBeLessThan(2_000);
  const family = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [
      `n${at}`,
      {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 30 }, (__, to) => [`p${to}`, { $ref: `#/$defs/n${to}` }]),
        ),
      },
    ]),
  );
  const { schema } = lowered({ $ref: "#/$defs/n0", $defs: family });
  expect(JSON.stringify(schema).length).toBeLessThan(256 * 1024);
});

describe("for Gemini", () => {
  it("uses only the keywords that its documents name, and says the rest in words", () => {
    expect(
      ofProperty({ type: "string", format: "uri", pattern: "^h", description: "A link." }, "gemini"),
    ).toEqual({
      type: "string",
      description: 'A link. (format: "uri"; pattern: "^h")',
    });
    expect(ofProperty({ enum: [1, 2] }, "gemini")).toEqual({ type: "integer", description: "(one of 1, 2)" });
    expect(ofProperty({ type: ["string", "number", "null"] }, "gemini")).toEqual({
      anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }],
    });
  });
});

describe("in strict mode", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "string", default: "x", minLength: 1 },
      b: { type: "object", properties: { c: { enum: ["y"] } } },
    },
    required: ["b"],
  };

  it("requires everything, and takes null for what was left out", () => {
    const { schema: written, strict, fromWire } = lowered(schema, "openai", true);
    expect(strict).toBe(true);
    expect(written).toEqual({
      type: "object",
      properties: {
        a: { type: ["string", "null"], description: '(minLength: 1; default: "x")' },
        b: {
          type: "object",
          properties: { c: { type: ["string", "null"], enum: ["y", null] } },
          required: ["c"],
          additionalProperties: false,
        },
      },
      required: ["a", "b"],
      additionalProperties: false,
    });
    expect(fromWire('{"a":null,"b":{"c":null}}')).toBe('{"b":{}}');
  });

  it.each([
    ["an open object", { type: "object", properties: { m: { type: "object" } } }],
    [
      "a map",
      { type: "object", properties: { m: { type: "object", additionalProperties: { type: "string" } } } },
    ],
    ["a property of any type", { type: "object", properties: { m: {} } }],
  ])("is dropped for %s", (_, open) => {
    expect(lowered(open, "openai", true).strict).toBe(false);
  });

  it("is dropped for a vendor that does not have it", () => {
    expect(lowered(schema, "anthropic", true).strict).toBe(false);
  });
});

it.each([
  [false, "its schema accepts no arguments"],
  ["string", "its parameters are not described by a JSON Schema"],
  [
    {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 3_900 }, (_, at) => [`${"n".repeat(60)}${at}`, {}]),
      ),
    },
    "its schema is too large",
  ],
])("says why a schema cannot be used (%#)", (schema, reason) => {
  expect(lowerSchema(schema, profileOf("openai", ""))).toEqual({ reason });
});
