import type { JsonSchema } from "../../src/protocol/json.ts";
import type { ToolSpec } from "../../src/protocol/model.ts";

const text = { type: "string" };

/** Schemas as MCP servers, OpenAPI documents and people write them. Each is legal somewhere and refused elsewhere. */
const SHAPES: Record<string, JsonSchema> = {
  "nothing at all": {},
  "no properties": { type: "object" },
  "no type": { properties: { query: text } },
  "null properties": { type: "object", properties: null },
  "any of at the top": {
    type: "object",
    properties: { id: text, name: text },
    anyOf: [{ required: ["id"] }, { required: ["name"] }],
  },
  "one of at the top": {
    oneOf: [
      { type: "object", properties: { url: text }, required: ["url"] },
      { type: "object", properties: { file: text }, required: ["file"] },
    ],
  },
  "all of at the top": {
    allOf: [
      { type: "object", properties: { a: text } },
      { type: "object", properties: { b: text }, required: ["b"] },
    ],
  },
  "not at the top": { type: "object", properties: { a: text }, not: { required: ["b"] } },
  "a reference at the top": {
    $ref: "#/definitions/Input",
    definitions: { Input: { type: "object", properties: { a: text }, required: ["a"] } },
  },
  "references inside": {
    type: "object",
    properties: { from: { $ref: "#/$defs/Point" }, to: { $ref: "#/$defs/Point", description: "Where to." } },
    $defs: { Point: { type: "object", properties: { x: { type: "number" }, y: { type: "number" } } } },
  },
  "a recursive reference": {
    type: "object",
    properties: { tree: { $ref: "#/$defs/Node" } },
    $defs: {
      Node: {
        type: "object",
        properties: { name: text, children: { type: "array", items: { $ref: "#/$defs/Node" } } },
      },
    },
  },
  "a reference that leads nowhere": {
    type: "object",
    properties: { a: { $ref: "#/components/schemas/Missing" } },
  },
  "an outside reference": { type: "object", properties: { a: { $ref: "https://example.com/schema.json" } } },
  "an array without items": { type: "object", properties: { tags: { type: "array" } } },
  "nested arrays without items": {
    type: "object",
    properties: {
      rows: { type: "array", items: { type: "array" } },
      more: { type: "object", properties: { x: { type: "array" } } },
    },
  },
  "a tuple of draft 04": {
    type: "object",
    properties: {
      point: { type: "array", items: [{ type: "number" }, { type: "number" }], additionalItems: false },
    },
  },
  "a tuple of 2020-12": {
    type: "object",
    properties: {
      point: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: false },
    },
  },
  "exclusive bounds of draft 04": {
    type: "object",
    properties: {
      n: { type: "integer", minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
    },
  },
  "required flags of draft 03": {
    type: "object",
    properties: { a: { type: "string", required: true } },
    required: [],
  },
  "OData names": {
    type: "object",
    properties: { $filter: text, $top: { type: "integer" }, "@odata.type": text },
    required: ["$filter"],
  },
  "names with brackets": {
    type: "object",
    properties: { "page[size]": { type: "integer" }, "filter[name]": text, "a b": text },
  },
  "a very long name": { type: "object", properties: { ["n".repeat(90)]: text, "": text } },
  "names in other scripts": { type: "object", properties: { größe: { type: "number" }, 名前: text } },
  "a list of types": { type: ["object", "null"], properties: { a: { type: ["string", "number", "null"] } } },
  "nullable of OpenAPI 3.0": {
    type: "object",
    properties: {
      a: { type: "string", nullable: true, example: "x" },
      b: { type: "string", format: "binary", xml: { name: "b" } },
    },
  },
  "enumerations of odd values": {
    type: "object",
    properties: {
      a: { enum: ["x", 1, null, true] },
      b: { type: "string", enum: [] },
      c: { const: 5 },
      d: { type: "integer", enum: [1, 2] },
    },
  },
  "conditions and patterns": {
    type: "object",
    properties: {
      kind: { type: "string", enum: ["a", "b"] },
      code: { type: "string", pattern: "^(?i)[a-z]+$" },
    },
    if: { properties: { kind: { const: "a" } } },
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
    then: { required: ["code"] },
    patternProperties: { "^x-": text },
    dependentRequired: { code: ["kind"] },
    propertyNames: { pattern: "^[a-z]" },
  },
  "free-form maps": {
    type: "object",
    properties: {
      headers: { type: "object", additionalProperties: text },
      any: {},
      yes: true,
      body: { type: "object" },
    },
    additionalProperties: true,
  },
  "required names without properties": { type: "object", properties: { a: text }, required: ["a", "b", "a"] },
  "foreign types and descriptions": {
    $schema: "http://json-schema.org/draft-04/schema#",
    id: "tool",
    type: "object",
    properties: {
      a: { type: "int" },
      b: { type: "file" },
      c: { type: "String" },
      d: { type: "string", description: ["x"] },
      e: { type: "any" },
    },
  },
  "deep nesting": deep(12),
  "two hundred properties": {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [
        `field_${at}`,
        { type: "string", description: `Field ${at}.` },
      ]),
    ),
  },
  "a top-level array": { type: "array", items: text },
  "alternatives inside": {
    type: "object",
    properties: {
      target: {
        anyOf: [
          { type: "string" },
          { type: "object", properties: { id: text }, required: ["id"] },
          { type: "null" },
        ],
      },
      mode: {
        oneOf: [
          { const: "a", title: "A" },
          { const: "b", title: "B" },
        ],
      },
      both: { allOf: [{ type: "object", properties: { x: text } }, { required: ["x"] }] },
    },
  },
};

function deep(levels: number): JsonSchema {
  const inner: JsonSchema = levels === 0 ? text : deep(levels - 1);
  return { type: "object", properties: { inner }, required: ["inner"] };
}

/** The awkward tools by the name of their shape. */
export const AWKWARD_TOOLS: ReadonlyMap<string, ToolSpec> = new Map(
  Object.entries(SHAPES).map(([shape, parameters]) => [
    shape,
    {
      name: `tool_${shape.replace(/[^a-z0-9]+/gi, "_")}`.slice(0, 60),
      description: `A tool: ${shape}.`,
      parameters,
    },
  ]),
);
