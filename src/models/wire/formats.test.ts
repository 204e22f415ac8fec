import { expect, it } from "vitest";
import type { JsonSchema } from "../../protocol/json.ts";
import { textMessage } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { ModelQuirks } from "../../protocol/quirks.ts";
import { fitFormat, planFormat } from "./formats.ts";

const closed = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const open = { type: "object", properties: { tags: { type: "object" } } };

function plan(format: object, quirks: ModelQuirks, tools: ModelRequest["tools"] = []) {
  const responseFormat = { type: "json" as const, ...format };
  const request = { messages: [textMessage("u", "user", "Hi")], tools, responseFormat };
  return planFormat(request, { model: { name: "m" }, modelId: "v/m", quirks: { ...quirks } });
}

it.each<[string, object, ModelQuirks, object]>([
  ["any schema", { schema: closed }, { formats: "schema" }, { sent: "schema", told: false, sure: true }],
  [
    "a strict schema",
    { schema: closed, strict: true },
    { formats: "strict" },
    { sent: "schema", sure: true },
  ],
  ["another one there", { schema: closed }, { formats: "strict" }, { sent: "schema", sure: false }],
  ["a false claim", { schema: open, strict: true }, { formats: "strict" }, { sent: "schema", sure: false }],
  ["an unknown server", { schema: closed }, {}, { sent: "schema", told: true, sure: false }],
  ["JSON only", { schema: closed }, { formats: "object" }, { sent: "object", told: true, sure: false }],
  ["nothing", { schema: closed }, { formats: "none" }, { told: true, sure: false }],
  ["a refusal", { schema: closed }, { formats: "schema", refuses: ["response_format"] }, { told: true }],
  ["a list", { schema: { type: "array" } }, { formats: "schema" }, { told: true, sure: false }],
  ["any keys", { schema: open }, { formats: "schema", closedSchemas: true }, { told: true, sure: false }],
  ["no schema", {}, { formats: "strict" }, { sent: "object", told: true, sure: true }],
])("asks for %s as an option or in words", (_, format, quirks, expected) => {
  expect(plan(format, quirks)).toMatchObject(expected);
});

it("asks in words where a vendor takes no format together with tools", () => {
  const tools = [{ name: "look", description: "", parameters: {} }];
  const quirks = { formats: "schema", formatWithTools: false } as const;
  expect(plan({ schema: closed }, quirks, tools)).toEqual({ told: true, sure: false });
  expect(plan({ schema: closed }, quirks)).toMatchObject({ sent: "schema" });
});

function fitted(schema: JsonSchema, { vendor = "openai", strict = false, closedSchemas = false } = {}) {
  const context = { model: { name: "m" }, modelId: "v/m", quirks: { closedSchemas } };
  return fitFormat({ type: "json", schema, strict }, context, vendor);
}

const inner = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };

it("closes every object of a schema, and says in words what only we check", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      $format: { type: "string", minLength: 1 },
      list: { type: "array", items: { allOf: [{ $ref: "#/$defs/inner" }] } },
      one: { oneOf: [inner] },
    },
    $defs: { inner },
  };
  const shut = {
    ...inner,
    properties: { n: { type: "integer", description: "(minimum: 1)" } },
    additionalProperties: false,
  };
  expect(fitted(schema, { closedSchemas: true })?.schema).toEqual({
    type: "object",
    properties: {
      $format: { type: "string", description: "(minLength: 1)" },
      list: { type: "array", items: shut },
      one: shut,
    },
    additionalProperties: false,
  });
  expect(fitted({ type: "object", properties: { a: {} } }, { closedSchemas: true })).toBeUndefined();
});

it("gives Gemini only the keywords that it knows, without references", () => {
  const schema = {
    type: "object",
    properties: {
      a: { $ref: "#/definitions/inner", description: "An a." },
      b: { const: "x" },
      c: { type: "array" },
    },
    definitions: { inner },
  };
  const { schema: sent } = fitted(schema, { vendor: "gemini" }) ?? {};
  expect(sent?.properties).toMatchObject({
    a: { ...inner, description: "An a." },
    b: { type: "string", enum: ["x"] },
    c: { type: "array", items: { anyOf: expect.anything() } },
  });
  expect(sent).not.toHaveProperty("definitions");
});

it("calls a schema strict only if it can be followed exactly", () => {
  const inside = (a: JsonSchema) => ({ ...closed, properties: { city: a } });
  const isStrict = (schema: JsonSchema) => fitted(schema, { strict: true })?.strict;
  expect(fitted(closed)?.strict).toBe(false);
  expect(isStrict(closed)).toBe(true);
  expect(isStrict({ ...closed, required: [] })).toBe(false);
  expect(isStrict(inside(open))).toBe(false);
  expect(isStrict(inside({}))).toBe(false);
  const alternatives = fitted(inside({ oneOf: [{ type: "string", minLength: 2 }, closed] }), {
    strict: true,
  });
  expect(alternatives).toMatchObject({ strict: true });
  expect(JSON.stringify(alternatives)).not.toMatch(/oneOf|"minLength":/);
});

it("leaves a strict schema as it is, even if it refers to itself", () => {
  const list = {
    ...closed,
    properties: { city: { type: "string", const: "a" }, next: { anyOf: [{ $ref: "#" }, { type: "null" }] } },
    required: ["city", "next"],
  };
  expect(fitted(list, { strict: true })).toEqual({ schema: list, strict: true });
});

it.each([
  ["alternatives at the top", { anyOf: [closed, open] }],
  ["a text", { type: "string" }],
  ["an object or nothing", { ...closed, type: ["object", "null"] }],
])("cannot send a schema of %s", (_, schema) => {
  expect(fitted(schema)).toBeUndefined();
});

it("mends schemas that vendors refuse even if they are not strict", () => {
  const { schema } =
    fitted({
      type: "object",
      properties: { n: { type: "integer", minimum: 0, exclusiveMinimum: true }, list: { type: "array" } },
      anyOf: [{ required: ["n"] }, { required: ["list"] }],
    }) ?? {};
  expect(schema).toMatchObject({
    properties: { n: { exclusiveMinimum: 0 }, list: { type: "array", items: {} } },
  });
  expect(schema).not.toHaveProperty("anyOf");
});

it("asks for JSON in the conversation, although the system asks for it", () => {
  const messages = [textMessage("s", "system", "Answer in JSON."), textMessage("u", "user", "Hi")];
  const context = { model: { name: "m" }, modelId: "v/m", quirks: { formats: "strict" as const } };
  expect(planFormat({ messages, tools: [], responseFormat: { type: "json" } }, context)?.told).toBe(true);
});
