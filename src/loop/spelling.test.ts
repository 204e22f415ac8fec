import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../protocol/define-tool.ts";
import { toolFromPlain } from "../protocol/plain-tool.ts";
import { spellAsDeclared } from "./spelling.ts";

const search = defineTool({
  name: "find",
  description: "Finds.",
  effect: "none",
  retry: "pure",
  spellings: { num_results: "maxResults" },
  input: z.object({
    query: z.string(),
    maxResults: z.number().optional(),
    snake_name: z.string().optional(),
    sortBy: z.object({ fieldName: z.string() }).optional(),
    steps: z.array(z.object({ toolName: z.string() })).optional(),
  }),
  run: () => "",
});

describe("arguments", () => {
  it.each([
    [{ maxResults: 3 }, { maxResults: 3 }],
    [{ max_results: 3 }, { maxResults: 3 }],
    [{ num_results: 3 }, { maxResults: 3 }],
    [{ snake_name: "x" }, { snake_name: "x" }],
    [{ sort_by: { field_name: "x" } }, { sortBy: { fieldName: "x" } }],
    [{ steps: [{ tool_name: "x" }, "odd"] }, { steps: [{ toolName: "x" }, "odd"] }],
    [
      { no_such: 1, __proto: 2 },
      { no_such: 1, __proto: 2 },
    ],
  ])("%j become %j", (given, expected) => {
    expect(spellAsDeclared(given, search)).toEqual(expected);
  });

  it("keep a name that is declared, even beside its other spelling", () => {
    const both = { ...search, parameters: { properties: { file_name: {}, fileName: {} } } };
    expect(spellAsDeclared({ file_name: "a", fileName: "b" }, both)).toEqual({
      file_name: "a",
      fileName: "b",
    });
  });

  it("keep keys that are never allowed, so that the next layer refuses them", () => {
    const polluting = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');
    expect(Object.keys(spellAsDeclared(polluting, search))).toEqual(["__proto__", "constructor"]);
  });

  it("that come under two names are refused with both", () => {
    const call = () => spellAsDeclared({ maxResults: 3, num_results: 4 }, search);
    expect(call).toThrow("num_results: it means the same as maxResults; give only one of them");
    expect(call).toThrow(expect.objectContaining({ code: "TOOL_INVALID_ARGUMENTS", status: 400 }));
  });

  it("of a tool with an author's own schema keep their names", () => {
    const parameters = { type: "object", properties: { maxResults: { type: "number" } } };
    const plain = toolFromPlain({
      name: "own",
      description: "Own.",
      effect: "none",
      parameters,
      run: () => "",
    });
    expect(spellAsDeclared({ max_results: 3 }, plain)).toEqual({ max_results: 3 });
  });
});
