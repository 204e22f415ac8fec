import { describe, expect, it } from "vitest";
import { z } from "zod";
import { toolContext } from "../tools/builtin/testing/context.ts";
import { parametersLayer } from "./parameters.ts";
import { exampleTool } from "./testing/guarded.ts";

const tool = exampleTool("save", {
  input: z.object({ name: z.string().max(5), tags: z.array(z.record(z.string(), z.unknown())).optional() }),
});
const check = async (args: unknown, of = tool) =>
  parametersLayer.check({ tool: of, args, context: toolContext() });

describe("layer 2", () => {
  it("returns the parsed arguments, frozen at every depth", async () => {
    const verdict = await check({ name: "a", tags: [{ deep: { er: [1] } }] });
    const args = verdict.allow ? (verdict.args as { tags: { deep: { er: number[] } }[] }) : undefined;
    expect(Object.isFrozen(args)).toBe(true);
    expect(Object.isFrozen(args?.tags[0]?.deep.er)).toBe(true);
  });

  it.each([
    ["an unknown key", '{"name":"a","extra":1}'],
    ["a wrong type", '{"name":1}'],
    ["a text that is too long", '{"name":"abcdef"}'],
    ["a missing key", "{}"],
    ["__proto__", '{"name":"a","__proto__":{"admin":true}}'],
    ["constructor", '{"name":"a","constructor":{"prototype":{"admin":true}}}'],
    ["__proto__ far down", `{"name":"a","tags":[${'{"a":'.repeat(30)}{"__proto__":{}}${"}".repeat(30)}]}`],
  ])("refuses %s, with the place", async (_, json) => {
    const verdict = await check(JSON.parse(json));
    expect(verdict).toMatchObject({
      allow: false,
      failure: {
        code: "TOOL_INVALID_ARGUMENTS",
        status: 400,
        details: { tool: "save", issues: [{ message: expect.any(String) }] },
      },
    });
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it("refuses arguments that are too deep or too many, without overflowing the stack", async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect((await check({ name: "a", tags: deep })).allow).toBe(false);
    expect((await check({ name: "a", tags: Array.from({ length: 200_000 }, () => ({})) })).allow).toBe(false);
  });

  it("names a refused argument with its path, and lists at most five problems", async () => {
    const tagged = exampleTool("label", { input: z.object({ tags: z.array(z.string()) }) });
    expect(await check({ tags: ["a", 1] }, tagged)).toMatchObject({
      failure: {
        publicMessage: expect.stringMatching(/^The arguments of label are not valid: tags\.1: .+\.$/),
      },
    });
    const many = Array.from({ length: 50 }, () => 1);
    expect(await check({ tags: many }, tagged)).toMatchObject({
      failure: { details: { issues: { length: 6, 5: { path: "", message: "and 45 more" } } } },
    });
    expect(await check({ tags: [], constructor: 1 }, tagged)).toMatchObject({
      failure: { details: { issues: [{ path: "constructor", message: "this key is not allowed" }] } },
    });
  });

  it("lets a parameter be called constructor if the schema of the tool lists it, but never __proto__", async () => {
    const standings = exampleTool("standings", {
      input: z.looseObject({
        constructor: z.string(),
        inner: z.looseObject({ constructor: z.string() }).optional(),
      }),
    });
    const listed = { constructor: "ferrari", inner: { constructor: "x" } };
    expect(await check(listed, standings)).toMatchObject({ allow: true });
    for (const args of [
      '{"constructor":"a","prototype":1}',
      '{"constructor":"a","b":{"constructor":1}}',
      '{"__proto__":1}',
    ])
      expect(await check(JSON.parse(args), standings)).toMatchObject({ allow: false });
  });

  it("lets arguments be nested 64 levels deep and no deeper", async () => {
    const planter = exampleTool("plant", { input: z.object({ tree: z.unknown() }) });
    const nested = (levels: number): unknown => (levels === 0 ? "leaf" : { a: nested(levels - 1) });
    expect(await check({ tree: nested(63) }, planter)).toMatchObject({ allow: true });
    expect(await check({ tree: nested(64) }, planter)).toMatchObject({
      failure: { details: { issues: [{ message: "nested deeper than 64 levels" }] } },
    });
  });
});
