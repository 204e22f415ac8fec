import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";

/** Runs cheap test files first. A mutant is killed by the first test that fails, and the others are skipped. */
class CheapFirst extends BaseSequencer {
  async sort(files) {
    const costs = new Map(files.map((file) => [file, costOf(readFileSync(file.moduleId, "utf8"))]));
    return files.toSorted((left, right) => costs.get(left) - costs.get(right));
  }
}

/** 3 for the suite over a whole store, 2 for tests that start all of Tackle, 1 for tests with a database, 0 for the rest. */
function costOf(source) {
  if (source.includes("storeConformance(")) return 3;
  if (/testing\/tackle\.ts"|\/index\.ts"/.test(source)) return 2;
  return /temporary\.ts|sqlite/.test(source) ? 1 : 0;
}

/** Fast tests only, without servers of databases: each of them runs again for every mutant that it covers. */
export default defineConfig({
  test: {
    include: [
      "src/{loop,guard,runs}/**/*.test.ts",
      "src/store/*.test.ts",
      "src/store/sqlite/*.test.ts",
      "test/{context,delegate,todo,workspace}.test.ts",
    ],
    exclude: ["**/*measure.test.ts", "src/store/{postgres,nats}*.test.ts"],
    sequence: { sequencer: CheapFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 5_000 } },
  },
});
