import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadConfig } from "./config.ts";
import { doubtfulSettings } from "./doubtful-settings.ts";

const data = mkdtempSync(join(tmpdir(), "tackle-doubts-"));
afterAll(() => rmSync(data, { recursive: true }));
const doubts = (env: Record<string, string>) =>
  doubtfulSettings(loadConfig({ env: { TACKLE_DATA: data, ...env }, cwd: data }));

test("a folder for tools that is missing, or is a file, is noticed", () => {
  const file = join(data, "file");
  writeFileSync(file, "");
  expect(doubts({ TACKLE_ROOTS: `${data}:/none:${file}` })).toEqual([
    "TACKLE_ROOTS: there is no folder /none.",
    `TACKLE_ROOTS: there is no folder ${file}.`,
  ]);
  expect(doubts({ TACKLE_ROOTS: data })).toEqual([]);
});

test("a file that a setting names and that is missing is noticed, with what that means", () => {
  expect(doubts({ TACKLE_POLICY: "polcy.json" })).toEqual([
    `TACKLE_POLICY: there is no file ${join(data, "polcy.json")}. As long as it is missing, the default policy applies.`,
  ]);
  expect(doubts({ TACKLE_MCP: "/none", TACKLE_OPENAPI: "/none" })).toHaveLength(2);
  expect(doubts({})).toEqual([]);
});
