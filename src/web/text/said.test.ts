import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findSaid } from "./said.ts";
import { saidEnglish } from "./said-english.ts";

const ROOT = join(import.meta.dirname, "../..");
const server = globSync("{accounts,app,files,http,runs}/**/*.ts", { cwd: ROOT })
  .filter((path) => !path.endsWith(".test.ts"))
  .map((path) => readFileSync(join(ROOT, path), "utf8").replace(/\$\{[^{}]*\}/g, "{}"))
  .join("\n");

it.each(Object.entries(saidEnglish))("%s is what the server says", (_, text) => {
  for (const sentence of text.replace(/\{\w+\}/g, "{}").split(/(?<=\.) /))
    expect(server).toContain(sentence.replace(/\.$/, ""));
});

it("finds a sentence of the server with its values", () => {
  expect(findSaid("A project can have 100 files. Remove one first.")).toEqual({
    key: "saidMostFiles",
    values: { most: "100" },
  });
  expect(findSaid("Only its owner may do this.")).toEqual({ key: "saidOnlyOwner", values: {} });
  expect(findSaid("Only its owner may do this. And more.")).toBeUndefined();
});
