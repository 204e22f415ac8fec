import { existsSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import type { Tool } from "../src/protocol/tool.ts";
import { toolPurpose } from "../src/web/choosing/tool-names.ts";
import { argumentsEnglish } from "../src/web/text/arguments-english.ts";

const here = new URL("../src/tools/builtin/", import.meta.url);
const files = readdirSync(here, { withFileTypes: true })
  .map((entry) => (entry.isDirectory() ? `${entry.name}/index.ts` : entry.name))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && existsSync(new URL(file, here)));
const tools = await Promise.all(
  files.map(async (file) => ((await import(new URL(file, here).href)) as { default: Tool }).default),
);

it("says what each built-in tool is for in words that are translated", () => {
  expect(tools.filter(({ name }) => toolPurpose(name) === undefined).map(({ name }) => name)).toEqual([]);
});

it("has translated words for every argument of the built-in tools, and for no others", () => {
  const names = tools.flatMap(({ parameters }) => Object.keys(parameters.properties ?? {}));
  expect(Object.keys(argumentsEnglish).sort()).toEqual(
    [...new Set(names)].map((name) => `argument_${name}`).sort(),
  );
});
