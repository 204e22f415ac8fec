// Runs before every test file.
import { flushCompileCache } from "node:module";
import { afterAll, afterEach } from "vitest";

globalThis.__stryker__ ??= {};
const stryker = globalThis.__stryker__;

// The files of a worker share this object. Each reports its own coverage.
if (stryker.mutantCoverage) Object.assign(stryker.mutantCoverage, { static: {}, perTest: {} });

// Vitest skips the tests that follow a failed one, but would still load their files.
if (stryker.killed) throw new Error("The mutant is already killed.");
afterEach(({ task }) => {
  if (task.result?.state === "fail") stryker.killed = true;
});

afterAll(() => flushCompileCache());
