import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sizeOfHomes, sweepHomes } from "./homes.ts";

const DAY = 24 * 60 * 60;
let base = "";
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "tackle-homes-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function home(name: string, bytes: number, idleSeconds: number): void {
  mkdirSync(join(base, name, "home"), { recursive: true });
  writeFileSync(join(base, name, "home", "cache"), Buffer.alloc(bytes));
  const used = Date.now() / 1000 - idleSeconds;
  utimesSync(join(base, name), used, used);
}
const left = () => ["new", "yesterday", "older", "ancient"].filter((name) => existsSync(join(base, name)));

it("removes the homes that were not used for longest while all are too large together", async () => {
  home("new", 300_000, 60);
  home("yesterday", 300_000, DAY);
  home("older", 300_000, 2 * DAY);
  home("ancient", 10, 31 * DAY);
  expect(await sizeOfHomes(base)).toBeGreaterThan(900_000);
  await sweepHomes(base, 2_000_000);
  expect(left()).toEqual(["new", "yesterday", "older"]);
  await sweepHomes(base, 700_000);
  expect(left()).toEqual(["new", "yesterday"]);
  // One that was used a minute ago may be in use.
  await sweepHomes(base, 1_000);
  expect(left()).toEqual(["new"]);
});
