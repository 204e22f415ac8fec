import { existsSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Tool } from "../../protocol/tool.ts";

const here = new URL("./", import.meta.url);
const files = readdirSync(here, { withFileTypes: true })
  .map((entry) => (entry.isDirectory() ? `${entry.name}/index.ts` : entry.name))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && existsSync(new URL(file, here)))
  .map((file) => ({ file, name: file.replace(/(\/index)?\.ts$/, "") }));

async function load(file: string): Promise<Tool> {
  const module: { default: Tool } = await import(new URL(file, here).href);
  return module.default;
}

test("finds the folder of tools", () => {
  expect(files.map((file) => file.name)).toContain("get_time");
});

describe.each(files)("$name", ({ file, name }) => {
  const loading = load(file);

  test(`is the tool that ${file} defines`, async () => {
    expect((await loading).name).toBe(name);
  });

  test("tells the model in a sentence what it is for", async () => {
    const { description } = await loading;
    expect(description.length).toBeGreaterThanOrEqual(20);
    expect(description.length).toBeLessThanOrEqual(2_000);
    expect(description.trim()).toBe(description);
  });

  test("takes an object whose properties are all described, and no other properties", async () => {
    const { parameters } = await loading;
    expect(parameters).toMatchObject({ type: "object", additionalProperties: false });
    const properties = Object.entries(
      (parameters.properties ?? {}) as Record<string, { description?: string }>,
    );
    for (const [property, schema] of properties) {
      expect(schema.description, `${property} wants a description`).toBeTruthy();
    }
  });

  test("refuses unknown keys, including those of prototypes", async () => {
    const tool = await loading;
    const keysRefused = (json: string) => {
      const parsed = tool.parse(JSON.parse(json));
      return !parsed.ok && parsed.issues.some((issue) => /unrecognized key/i.test(issue.message));
    };
    for (const key of ["surprise", "__proto__", "constructor", "prototype"]) {
      expect(keysRefused(`{"${key}":{"polluted":true}}`), key).toBe(true);
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["text", "x"],
    ["a list", []],
    ["a number", 7],
  ])("refuses %s instead of its arguments", async (_, args) => {
    expect((await loading).parse(args).ok).toBe(false);
  });

  test("declares its effect, whether it is safe to repeat after a crash, and valid limits", async () => {
    const tool = await loading;
    expect(["none", "read", "write", "network"]).toContain(tool.effect);
    expect(["pure", "idempotent", "unsafe"]).toContain(tool.retry);
    expect(["trusted", "untrusted"]).toContain(tool.trust);
    if (tool.effect === "write") expect(tool.retry).not.toBe("pure");
    if (tool.timeoutMs !== undefined) {
      expect(tool.timeoutMs).toBeGreaterThanOrEqual(1_000);
      expect(tool.timeoutMs).toBeLessThanOrEqual(600_000);
    }
  });
});
