import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHarness } from "./support/mcp-host.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const folder = temporaryFolder();
let tackle: ServerProcess;
let harness: Awaited<ReturnType<typeof startHarness>>;

beforeAll(async () => {
  mkdirSync(`${folder.path}/data`);
  tackle = await startServer(`${folder.path}/data`);
  harness = await startHarness(tackle);
});
afterAll(async () => {
  await harness.close();
  await tackle.stop();
  folder.remove();
});

test("every scenario of the official suite for clients passes, with either revision", {
  timeout: 180_000,
}, async () => {
  // One after the other: each starts dozens of clients at once, which must be answered in time.
  const before = await harness.runSuite(`${folder.path}/before`, "--suite", "all");
  const newest = await harness.runSuite(
    `${folder.path}/newest`,
    "--suite",
    "all",
    "--spec-version",
    "2026-07-28",
  );
  const failed = [...before, ...newest].filter((one) => one.failed.length > 0);
  expect(failed).toEqual([]);
  expect(before.length).toBeGreaterThan(40);
  expect(newest.length).toBeGreaterThan(30);
});
