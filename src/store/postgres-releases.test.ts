import { describe } from "vitest";
import { findReleases } from "./testing/postgres.ts";
import { conformOn } from "./testing/postgres-harness.ts";

const [, ...others] = findReleases();
describe.skipIf(others.length === 0)("every other installed release", () => {
  for (const release of others) conformOn(release);
});
