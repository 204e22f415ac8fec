import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../protocol/define-tool.ts";
import { toolContext } from "../tools/builtin/testing/context.ts";
import { parametersLayer } from "./parameters.ts";

const tool = defineTool({
  name: "save",
  description: "Saves.",
  effect: "none",
  retry: "pure",
  input: z.object({ name: z.string().max(5), tags: z.array(z.record(z.string(), z.unknown())).optional() }),
  run: () => "",
});
const check = async (args: unknown) => parametersLayer.check({ tool, args, context: toolContext() });

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
});
