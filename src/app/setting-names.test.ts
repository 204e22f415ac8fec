import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SETTING_NAMES, SHARED_NAMES, unknownSettings } from "./setting-names.ts";

test("the names are those that the page about settings describes", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/settings.md"), "utf8");
  expect(SETTING_NAMES).toEqual([...new Set(page.match(/TACKLE_[A-Z0-9_]+/g))].toSorted());
});

test("the names without our prefix are on that page too", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/settings.md"), "utf8");
  const named = page.match(/`(?:HOST|PORT|[A-Z0-9_]+_(?:URL|KEY|ID|CTX|STORE)|S3_\w+|OTEL_\w+)`/g) ?? [];
  const names = named.map((name) => name.slice(1, -1)).filter((name) => !name.startsWith("TACKLE_"));
  // The addresses of vendors are described in a sentence.
  const listed = SHARED_NAMES.filter((name) => !name.endsWith("_BASE_URL") || names.includes(name));
  expect(listed.toSorted()).toEqual([...new Set(names)].toSorted());
});

test("a slip in a name is noticed, with the name that is meant", () => {
  const settings = { TACKLE_MODLE: "demo/demo", TACKLE_MODEL: "demo/demo", PATH: "/bin" };
  expect(unknownSettings({ settings, namesInFile: [] })).toEqual([
    "There is no setting TACKLE_MODLE. Do you mean TACKLE_MODEL?",
  ]);
  expect(unknownSettings({ settings: { TACKLE_PORT: "1" }, namesInFile: [] })).toEqual([
    "There is no setting TACKLE_PORT. Do you mean PORT?",
  ]);
  expect(unknownSettings({ settings: { TACKLE_SOMETHING_ELSE: "1" }, namesInFile: [] })).toEqual([
    "There is no setting TACKLE_SOMETHING_ELSE.",
  ]);
});

test("a name in the file is noticed in any spelling, unless it may be a variable for something else", () => {
  const fine = ["PORT", "TACKLE_MODEL", "OPENAI_BASE_URL", "GITHUB_TOKEN", "$schema", "//", "_comment"];
  expect(unknownSettings({ settings: {}, namesInFile: fine })).toEqual([]);
  const slips = {
    model: "TACKLE_MODEL",
    MODEL: "TACKLE_MODEL",
    "fetch-allow": "TACKLE_FETCH_ALLOW",
    tackleRoots: "TACKLE_ROOTS",
    port: "PORT",
    openaiApiKey: "OPENAI_API_KEY",
    ANTROPIC_API_KEY: "ANTHROPIC_API_KEY",
  };
  for (const [name, meant] of Object.entries(slips))
    expect(unknownSettings({ settings: {}, namesInFile: [name] })).toEqual([
      `There is no setting ${name} (in tackle.config.json). Do you mean ${meant}?`,
    ]);
  expect(unknownSettings({ settings: {}, namesInFile: ["theme"] })).toEqual([
    "There is no setting theme (in tackle.config.json).",
  ]);
});

test("the name that another program has for a vendor's key is noticed, unless ours is set too", () => {
  const meant = {
    OPENAI_KEY: "OPENAI_API_KEY",
    OPEN_AI_API_KEY: "OPENAI_API_KEY",
    OPENAI_API_TOKEN: "OPENAI_API_KEY",
    GOOGLE_API_KEY: "GEMINI_API_KEY",
    GOOGLE_GENERATIVE_AI_API_KEY: "GEMINI_API_KEY",
    CLAUDE_API_KEY: "ANTHROPIC_API_KEY",
    GROK_API_KEY: "XAI_API_KEY",
  };
  for (const [name, key] of Object.entries(meant)) {
    const sentence = `${name} is not a setting of Tackle. Do you mean ${key}?`;
    expect(unknownSettings({ settings: { [name]: "k" }, namesInFile: [] })).toEqual([sentence]);
    expect(unknownSettings({ settings: { [name]: "k", [key]: "k" }, namesInFile: [] })).toEqual([]);
  }
  for (const name of ["GITHUB_TOKEN", "API_KEY", "KEY", "OPENAI_API_KEY", "SSH_KEY", "OPENAI_KEYS"])
    expect(unknownSettings({ settings: { [name]: "k" }, namesInFile: [] })).toEqual([]);
});
