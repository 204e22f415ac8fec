import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { listFiles } from "./completions.ts";

const folder = mkdtempSync(join(tmpdir(), "tackle-files-"));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it("lists the files of a folder bit by bit where there is no git, so that keys are read meanwhile", async () => {
  for (let at = 0; at < 60; at++) {
    mkdirSync(join(folder, `part-${at}`, "node_modules"), { recursive: true });
    writeFileSync(join(folder, `part-${at}`, "a.txt"), "");
    writeFileSync(join(folder, `part-${at}`, "node_modules", "b.txt"), "");
  }
  // Waiting for git would count too.
  vi.stubEnv("PATH", "");
  let turns = 0;
  let isListed = false;
  const count = () => {
    turns++;
    if (!isListed) setImmediate(count);
  };
  setImmediate(count);
  const files = await listFiles(folder);
  isListed = true;
  expect(files.toSorted()).toEqual(Array.from({ length: 60 }, (_, at) => `part-${at}/a.txt`).toSorted());
  expect(turns).toBeGreaterThan(30);
});
