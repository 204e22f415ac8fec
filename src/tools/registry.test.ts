import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineTool } from "../protocol/define-tool.ts";
import type { Registry } from "../protocol/registry.ts";
import { toolContext } from "./builtin/testing/context.ts";
import { createRegistry, type RegistryOptions } from "./registry.ts";

let directory: string;
let userDir: string;
let registry: Registry | undefined;
let problems: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "registry-"));
  userDir = join(directory, "tools");
  await mkdir(userDir);
  problems = [];
});

afterEach(async () => {
  registry?.close();
  registry = undefined;
  await rm(directory, { recursive: true });
});

async function open(overrides: Partial<RegistryOptions> = {}): Promise<Registry> {
  registry = await createRegistry({
    userDir,
    settings: { roots: [], env: {} },
    onProblem: (line) => problems.push(line),
    ...overrides,
  });
  return registry;
}

function plainTool(name: string, answer: string, extra = "") {
  return `{
    name: ${JSON.stringify(name)},
    description: "A tool that answers something.",
    effect: "none",
    parameters: { type: "object", properties: { word: { type: "string", description: "any" } }, required: ["word"] },
    run: ({ word }) => ${JSON.stringify(answer)} + word,
    ${extra}
  }`;
}

const write = (name: string, content: string) => writeFile(join(userDir, name), content);

async function answerOf(name: string): Promise<string | undefined> {
  return (await registry?.get(name)?.run({ word: "!" }, toolContext()))?.output;
}

describe("at start", () => {
  test("the registry lists the built-in tools sorted by name", async () => {
    const { listings } = await open();
    const names = listings().map((listing) => listing.name);
    expect(names).toContain("get_time");
    expect(names).toEqual([...names].sort());
    expect(listings().find((listing) => listing.name === "get_time")).toMatchObject({
      source: "built-in",
      effect: "none",
      parameters: { type: "object" },
    });
  });

  test.each([
    ["an .mjs file", "one.mjs", `export default ${plainTool("one", "hello")}`],
    ["a CommonJS .js file", "one.js", `module.exports = ${plainTool("one", "hello")}`],
    ["a .ts file", "one.ts", `const answer: unknown = ${plainTool("one", "hello")}; export default answer`],
    [
      "a function that gets defineTool and z",
      "one.mjs",
      `export default ({ defineTool, z }) => defineTool({ name: "one", description: "Answers.", effect: "none",
        retry: "pure", input: z.object({ word: z.string() }), run: ({ word }) => "hello" + word })`,
    ],
  ])("the registry loads a user tool from %s", async (_, file, content) => {
    await write(file, content);
    await open();
    expect(problems).toEqual([]);
    expect(await answerOf("one")).toBe("hello!");
  });

  test("a user tool is unsafe to repeat unless it says otherwise, and refuses unknown keys", async () => {
    await write("one.mjs", `export default ${plainTool("one", "hello")}`);
    const tool = (await open()).get("one");
    expect(tool).toMatchObject({
      retry: "unsafe",
      trust: "untrusted",
      source: "the tool one",
      parallel: true,
    });
    expect(tool?.parse({ word: "a" })).toEqual({ ok: true, value: { word: "a" } });
    expect(tool?.parse({ word: "a", surprise: 1 }).ok).toBe(false);
    expect(tool?.parse({}).ok).toBe(false);
  });

  test.each([
    ["a name with a slash", `export default ${plainTool("a/b", "x")}`, "name:"],
    ["no effect", `export default { ...${plainTool("one", "x")}, effect: undefined }`, "effect:"],
    ["no run", `export default { ...${plainTool("one", "x")}, run: undefined }`, "run:"],
    ["no default export", "export const tool = 1", "no tool is exported by default"],
    ["a syntax error", "export default {", "cannot be used"],
    [
      "a schema that is not an object",
      `export default { ...${plainTool("one", "x")}, parameters: { type: "string" } }`,
      "parameters:",
    ],
  ])("a user file with %s is reported in one line, and everything else works", async (_, content, words) => {
    await write("broken.mjs", content);
    await open();
    expect(problems).toEqual([expect.stringContaining(words)]);
    expect(problems[0]).toContain("broken.mjs");
    expect(problems[0]).not.toContain("\n");
    expect(registry?.get("get_time")).toBeDefined();
  });

  test("a user tool cannot use the name of a built-in tool, and both files are named", async () => {
    await write("mine.mjs", `export default ${plainTool("get_time", "x")}`);
    await open();
    expect(problems).toEqual([expect.stringMatching(/mine\.mjs.*get_time\.ts/)]);
    expect(registry?.listings().find((listing) => listing.name === "get_time")?.source).toBe("built-in");
  });

  test("if two user tools have the same name, the one from the first file is kept", async () => {
    await write("a.mjs", `export default ${plainTool("same", "first")}`);
    await write("b.mjs", `export default ${plainTool("same", "second")}`);
    await open();
    expect(await answerOf("same")).toBe("first!");
    expect(problems).toEqual([expect.stringMatching(/b\.mjs.*a\.mjs/)]);
  });

  test("two built-in tools that share a name or an alias stop the start", async () => {
    const builtInDir = join(directory, "built-in");
    await mkdir(join(builtInDir, "one"), { recursive: true });
    const made = (name: string, aliases: string) =>
      `export default ({ defineTool, z }) => defineTool({ name: "${name}", aliases: ${aliases},
        description: "Answers.", effect: "none", retry: "pure", input: z.object({}), run: () => "" })`;
    await writeFile(join(builtInDir, "one", "index.js"), made("one", "[]"));
    await writeFile(join(builtInDir, "two.js"), made("two", '["one"]'));
    await expect(open({ builtInDir })).rejects.toThrow(/two\.js.*one\/index\.js/);
  });

  test("a built-in tool whose name differs from its file stops the start", async () => {
    const builtInDir = join(directory, "built-in");
    await mkdir(builtInDir);
    await writeFile(join(builtInDir, "one.js"), `export default ${plainTool("other", "x")}`);
    await expect(open({ builtInDir })).rejects.toThrow('calls itself "other"');
  });
});

describe("while running", () => {
  const soon = { timeout: 10_000, interval: 25 };

  test.each([
    ["mjs", "export default "],
    ["js", "module.exports = "],
    ["ts", "export default "],
  ])(
    "an .%s file is loaded when it appears and when it changes, and its tool is removed with it",
    async (extension, start) => {
      await open();
      let changes = 0;
      registry?.onChange(() => changes++);
      await write(`one.${extension}`, start + plainTool("one", "first"));
      await vi.waitFor(async () => expect(await answerOf("one")).toBe("first!"), soon);
      await write(`one.${extension}`, start + plainTool("one", "second"));
      await vi.waitFor(async () => expect(await answerOf("one")).toBe("second!"), soon);
      await rm(join(userDir, `one.${extension}`));
      await vi.waitFor(() => expect(registry?.get("one")).toBeUndefined(), soon);
      expect(changes).toBe(3);
      expect(problems).toEqual([]);
    },
  );

  test("a folder that is created later is watched as well", async () => {
    await rm(userDir, { recursive: true });
    await open();
    await mkdir(userDir);
    await write("one.mjs", `export default ${plainTool("one", "late")}`);
    await vi.waitFor(async () => expect(await answerOf("one")).toBe("late!"), soon);
  });

  test("a file that breaks keeps its last good version, and works again once it is fixed", async () => {
    await write("one.mjs", `export default ${plainTool("one", "good")}`);
    await open();
    await write("one.mjs", "export default {");
    await vi.waitFor(() => expect(problems).toHaveLength(1), soon);
    expect(problems[0]).toMatch(/one\.mjs.*last version that worked stays/);
    expect(await answerOf("one")).toBe("good!");
    await write("one.mjs", `export default ${plainTool("one", "mended")}`);
    await vi.waitFor(async () => expect(await answerOf("one")).toBe("mended!"), soon);
    expect(problems).toHaveLength(1);
  });

  test("a file that is written in two steps is not reported as broken", async () => {
    await open();
    const content = `export default ${plainTool("one", "whole")}`;
    await write("one.mjs", content.slice(0, 60));
    await write("one.mjs", content);
    await vi.waitFor(async () => expect(await answerOf("one")).toBe("whole!"), soon);
    expect(problems).toEqual([]);
  });

  test("a refused duplicate is registered once the other tool is gone", async () => {
    await write("a.mjs", `export default ${plainTool("same", "first")}`);
    await write("b.mjs", `export default ${plainTool("same", "second")}`);
    await open();
    await rename(join(userDir, "a.mjs"), join(directory, "a.mjs"));
    await vi.waitFor(async () => expect(await answerOf("same")).toBe("second!"), soon);
  });
});

describe("names", () => {
  const made = (name: string, aliases: string[] = []) =>
    defineTool({
      name,
      aliases,
      description: "Answers.",
      effect: "none",
      retry: "pure",
      input: z.object({}),
      run: () => name,
      available: ({ env }) => env.OFF === undefined,
    });

  test("tools of another source are added under their names and aliases, and removed together", async () => {
    const tools = await open();
    tools.add(made("server.one", ["first_one"]), "server");
    tools.add(made("server.two"), "server");
    expect(tools.get("first_one")).toBe(tools.get("server.one"));
    expect(tools.listings().filter((listing) => listing.source === "server")).toHaveLength(2);
    expect(() => tools.add(made("other", ["server.two"]), "another")).toThrow(/another.*server/);
    tools.remove("server");
    expect([tools.get("first_one"), tools.get("server.two"), tools.get("other")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("a list of names becomes a list of tools without duplicates", async () => {
    const tools = await open();
    tools.add(made("one", ["uno"]), "test");
    expect(tools.expand(["one", "get_time", "uno"]).map((tool) => tool.name)).toEqual(["one", "get_time"]);
    expect(() => tools.expand(["get_tiem"])).toThrow(/"get_tiem".*get_time/);
  });

  test("an unavailable tool is neither listed nor found, but keeps its name", async () => {
    const tools = await open({ settings: { roots: [], env: { OFF: "1" } } });
    tools.add(made("one"), "test");
    expect(tools.get("one")).toBeUndefined();
    expect(tools.list().map((tool) => tool.name)).not.toContain("one");
    expect(() => tools.add(made("one"), "again")).toThrow("already has that name");
  });
});
