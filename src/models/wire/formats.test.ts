import { expect, it } from "vitest";
import { textMessage } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import { closeSchema, geminiSchema, isStrict, planFormat } from "./formats.ts";
import type { ModelQuirks } from "./quirks.ts";

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

it("closes every object of a schema, and leaves out what only we check", () => {
  const inner = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      format: { type: "string", minLength: 1 },
      list: { type: "array", items: inner },
      one: { oneOf: [inner] },
    },
  };
  const shut = { ...inner, properties: { n: { type: "integer" } }, additionalProperties: false };
  expect(closeSchema(schema)).toEqual({
    type: "object",
    properties: { format: { type: "string" }, list: { type: "array", items: shut }, one: { anyOf: [shut] } },
    additionalProperties: false,
  });
  expect(geminiSchema({ ...inner, uniqueItems: true })).toEqual(inner);
  expect(geminiSchema({ const: "a" })).toEqual({ enum: ["a"] });
});

it("calls a schema strict only if it is", () => {
  expect(isStrict({ type: "json", schema: closed, strict: true })).toBe(true);
  expect(isStrict({ type: "json", schema: closed })).toBe(false);
  expect(isStrict({ type: "json", schema: { ...closed, required: [] }, strict: true })).toBe(false);
  expect(isStrict({ type: "json", schema: { ...closed, properties: { city: open } }, strict: true })).toBe(
    false,
  );
});
