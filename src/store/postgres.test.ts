import { describe } from "vitest";
import { findRelease } from "./testing/postgres.ts";
import { conformOn } from "./testing/postgres-harness.ts";

const release = findRelease();
describe.skipIf(!release)("the newest release", () => {
  if (release) conformOn(release);
});
