/** A schema as servers and clients really send them, and arguments that are valid by it. */
export interface AwkwardSchema {
  name: string;
  schema: unknown;
  args: unknown;
}

const long = "a_parameter_name_that_is_much_longer_than_the_sixty_four_characters_that_vendors_take";
const recursive = {
  type: "object",
  properties: { tree: { $ref: "#/$defs/node" } },
  $defs: {
    node: {
      type: "object",
      properties: {
        "node name": { type: "string" },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
      },
      required: ["node name"],
    },
  },
};
const deep = Array.from({ length: 40 }).reduce<object>(
  (inner) => ({ type: "object", properties: { next: inner }, required: ["next"] }),
  { type: "string" },
);

/** Schemas that at least one vendor refuses as they are. */
export const AWKWARD_SCHEMAS: AwkwardSchema[] = [
  { name: "nothing", schema: {}, args: {} },
  { name: "only a type", schema: { type: "object" }, args: {} },
  { name: "properties that are null", schema: { type: "object", properties: null }, args: {} },
  { name: "properties without a type", schema: { properties: { q: { type: "string" } } }, args: { q: "a" } },
  { name: "a required name without properties", schema: { type: "object", required: ["q"] }, args: { q: 1 } },
  { name: "true", schema: true, args: { any: 1 } },
  {
    name: "boolean schemas of properties",
    schema: { type: "object", properties: { yes: true, no: false }, required: ["yes", "no"] },
    args: { yes: 1 },
  },
  {
    name: "an object or null",
    schema: { type: ["object", "null"], properties: { q: { type: ["string", "null"] } } },
    args: { q: null },
  },
  {
    name: "anyOf at the top",
    schema: {
      anyOf: [
        { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
        { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      ],
    },
    args: { name: "a" },
  },
  {
    name: "oneOf at the top that only says what is required",
    schema: {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    args: { a: "x" },
  },
  {
    name: "allOf at the top with references",
    schema: {
      allOf: [
        { $ref: "#/definitions/base" },
        { properties: { extra: { type: "number" } }, required: ["extra"] },
      ],
      definitions: {
        base: { type: "object", properties: { id: { type: "string" } }, additionalProperties: false },
      },
    },
    args: { id: "a", extra: 1.5 },
  },
  {
    name: "enum, not and const at the top",
    schema: { type: "object", properties: { a: { const: 1 } }, enum: [{ a: 1 }], not: { required: ["b"] } },
    args: { a: 1 },
  },
  {
    name: "if, then and else",
    schema: {
      type: "object",
      properties: { kind: { enum: ["card", "bank"] } },
      if: { properties: { kind: { const: "card" } } },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
      then: { properties: { number: { type: "string" } } },
      else: { properties: { iban: { type: "string" } } },
    },
    args: { kind: "card", number: "4" },
  },
  { name: "a list at the top", schema: { type: "array", items: { type: "string" } }, args: ["a", "b"] },
  { name: "a string at the top", schema: { type: "string", enum: ["a", "b"] }, args: "a" },
  {
    name: "a recursive reference",
    schema: recursive,
    args: { tree: { "node name": "a", children: [{ "node name": "b" }] } },
  },
  {
    name: "a reference to itself",
    schema: { type: "object", properties: { "sub item": { $ref: "#" }, v: { type: "integer" } } },
    args: { "sub item": { v: 1 } },
  },
  {
    name: "references that lead nowhere",
    schema: {
      type: "object",
      properties: { a: { $ref: "https://example.com/a.json" }, b: { $ref: "#/nowhere" } },
    },
    args: { a: 1, b: "x" },
  },
  {
    name: "tuples",
    schema: {
      type: "object",
      properties: {
        point: { type: "array", items: [{ type: "number" }, { type: "number" }], additionalItems: false },
        pair: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false },
      },
    },
    args: { point: [1, 2.5], pair: ["a", 1] },
  },
  {
    name: "draft 4",
    schema: {
      $schema: "http://json-schema.org/draft-04/schema#",
      id: "http://example.com/old",
      type: "object",
      properties: {
        n: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
        must: { type: "string", required: true },
      },
    },
    args: { n: 1, must: "a" },
  },
  {
    name: "lists without items",
    schema: {
      type: "object",
      properties: { list: { type: "array" }, rows: { type: "array", items: { type: "array" } } },
    },
    args: { list: [1, "a"], rows: [["x"]] },
  },
  {
    name: "OpenAPI's nullable",
    schema: {
      type: "object",
      properties: { when: { type: "string", format: "date-time", nullable: true, example: "now" } },
    },
    args: { when: null },
  },
  {
    name: "formats and keywords of a vendor",
    schema: {
      type: "object",
      "x-order": 1,
      properties: {
        url: { type: "string", format: "uri", "x-secret": true, writeOnly: true, contentEncoding: "base64" },
        size: { type: "integer", format: "uint64", minimum: 1, multipleOf: 2 },
      },
      unevaluatedProperties: false,
    },
    args: { url: "http://a", size: 4 },
  },
  {
    name: "defaults of another type",
    schema: {
      type: "object",
      properties: { n: { type: "integer", default: "ten" }, list: { type: "array", default: {} } },
    },
    args: { n: 1 },
  },
  {
    name: "lists of mixed values",
    schema: {
      type: "object",
      properties: {
        level: { type: "integer", enum: [1, 2, 3] },
        mixed: { enum: ["a", 1, null, true] },
        maybe: { type: ["string", "null"], enum: ["x", null] },
        empty: { type: "string", enum: [] },
        twice: { type: "string", enum: ["a", "a"] },
      },
    },
    args: { level: 2, mixed: 1, maybe: null, empty: "", twice: "a" },
  },
  {
    name: "required names that repeat or are unknown",
    schema: {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a", "a", "b", 3],
      additionalProperties: false,
    },
    args: { a: "x" },
  },
  {
    name: "patterns that do not compile",
    schema: {
      type: "object",
      properties: { a: { type: "string", pattern: "([a-z" }, b: { pattern: "^\\p{L}+$" } },
    },
    args: { a: "x", b: "y" },
  },
  { name: "great depth", schema: deep, args: { next: { next: { next: "x" } } } },
  {
    name: "thousands of properties",
    schema: {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 900 }, (_, at) => [
          `p${at}`,
          { type: "string", description: "A long text. ".repeat(20) },
        ]),
      ),
    },
    args: { p1: "a" },
  },
  {
    name: "names of prototypes",
    schema: JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"object","properties":{"__proto__":{"type":"integer"},"valueOf":{"type":"integer"}}}},"required":["constructor","__proto__"]}',
    ),
    args: { constructor: "b", toString: { valueOf: 1 } },
  },
  {
    name: "names that vendors refuse",
    schema: {
      type: "object",
      properties: {
        $filter: { type: "string" },
        filter: { type: "string" },
        "page[size]": { type: "integer" },
        "a b": {
          type: "object",
          properties: { "c/d": { type: "array", items: { properties: { "é@": {} } } } },
        },
        "": { type: "string" },
        [long]: { type: "string" },
        größe: { type: "string" },
        名前: { type: "string" },
        "9lives": { type: "boolean" },
      },
      required: ["$filter", "page[size]", ""],
    },
    args: {
      $filter: "a",
      filter: "b",
      "page[size]": 1,
      "a b": { "c/d": [{ "é@": 1 }], other: 2 },
      "": "c",
      [long]: "d",
      größe: "e",
      名前: "f",
      "9lives": true,
    },
  },
  {
    name: "names inside of maps and alternatives",
    schema: {
      type: "object",
      properties: {
        map: {
          type: "object",
          additionalProperties: { type: "object", properties: { "x y": { type: "string" } } },
        },
        one: {
          oneOf: [
            { type: "object", properties: { "k 1": { const: "a" } }, required: ["k 1"] },
            { type: "object", properties: { "k 2": { const: "b" } }, required: ["k 2"] },
            { type: "null" },
          ],
        },
      },
    },
    args: { map: { "free name": { "x y": "z" }, x_y: { "x y": "w" } }, one: { "k 2": "b" } },
  },
  {
    name: "constants with titles",
    schema: {
      type: "object",
      properties: {
        unit: {
          oneOf: [
            { const: "c", title: "Celsius" },
            { const: "f", title: "Fahrenheit" },
          ],
        },
      },
    },
    args: { unit: "f" },
  },
  {
    name: "types of other languages",
    schema: {
      type: "dict",
      properties: {
        a: { type: "int" },
        b: { type: "STRING" },
        c: { type: "any" },
        d: { type: "list" },
        e: { type: "wat" },
      },
    },
    args: { a: 1, b: "x", c: null, d: [], e: 2 },
  },
  {
    name: "texts that are not texts",
    schema: {
      type: "object",
      title: 1,
      description: null,
      properties: { a: { type: "string", description: ["x"] }, b: "no" },
    },
    args: { a: "x", b: 1 },
  },
  {
    name: "limits that contradict each other",
    schema: {
      type: "object",
      minProperties: -1,
      properties: {
        a: { type: "string", minLength: 5, maxLength: 2 },
        b: { type: "array", items: {}, minItems: 1.5 },
      },
    },
    args: { a: "x", b: [1] },
  },
  {
    name: "properties by pattern",
    schema: {
      type: "object",
      patternProperties: { "^x-": { type: "string" } },
      additionalProperties: false,
      dependencies: { a: ["b"] },
      propertyNames: { pattern: "^[a-z-]+$" },
    },
    args: { "x-a": "b" },
  },
];
