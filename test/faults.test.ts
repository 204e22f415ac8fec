import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingFor, playAll, SCENARIOS } from "../faults/play.ts";

// Runs each fault once. `npm run faults -- kills 200` runs many more kills.

const PATIENCE_MS = 300_000;
const missing = new Map(SCENARIOS.map((scenario) => [scenario.name, missingFor(scenario)]));
for (const [name, why] of missing) {
  if (!why) continue;
  if (process.env.CI) throw new Error(`${name} cannot be played (${why}), and CI must not skip it`);
  console.warn(`${name} is not played: ${why}`);
}
const possible = SCENARIOS.filter(({ name }) => !missing.get(name));
const outcomes = new Map(possible.map(({ name }) => [name, Promise.withResolvers<void>()]));
let played: Promise<unknown>;

beforeAll(() => {
  // Scenarios run in parallel, because many of them wait for a lease or a database.
  const told = (name: string, outcome: Promise<void>) => outcomes.get(name)?.resolve(outcome);
  const ofDatabase = possible.filter(({ name }) => name.startsWith("database-"));
  const others = possible.filter((scenario) => !ofDatabase.includes(scenario));
  played = Promise.all([
    playAll("SQLite", others, told),
    playAll("PostgreSQL", others, told),
    playAll("PostgreSQL", ofDatabase, told),
    playAll("NATS", others, told),
  ]);
  for (const { promise } of outcomes.values()) promise.catch(() => undefined); // The scenario's own test reports the failure.
});
afterAll(() => played, PATIENCE_MS);

describe("nothing is lost or done twice despite a fault", () => {
  it.for(SCENARIOS)("$name", { timeout: PATIENCE_MS }, async ({ name }, { skip }) => {
    const outcome = outcomes.get(name);
    if (!outcome) return skip(missing.get(name));
    await outcome.promise;
  });
});

it("docs/reliability.md lists every fault scenario and no others", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../docs/reliability.md"), "utf8");
  const [, table = ""] = page.split("## Guarantees by fault");
  const rows = table.split("\n").filter((line) => /^\| (?!---|fault \|)/.test(line));
  const proofs = rows.map((row) =>
    [...(row.split("|")[3] ?? "").matchAll(/`([a-z0-9./-]+)`/g)].map(([, name = ""]) => name),
  );
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((_, index) => proofs[index]?.length === 0)).toEqual([]);
  const [files, named] = [true, false].map((file) =>
    proofs.flat().filter((name) => name.includes("/") === file),
  );
  expect(files?.filter((path) => !existsSync(resolve(import.meta.dirname, "..", path)))).toEqual([]);
  expect([...new Set(named)].sort()).toEqual(SCENARIOS.map(({ name }) => name).sort());
});
