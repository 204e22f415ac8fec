import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";

/**
 * Runs the tests beside the mutated file first, and cheap ones before others. A mutant is killed by the first test that
 * fails, and the rest is skipped.
 */
class LikelyFirst extends BaseSequencer {
  async sort(files) {
    // Stryker names the mutated file here. In the dry run there are many.
    const { related = [] } = this.ctx.config;
    const mutated = related.length === 1 ? related[0] : undefined;
    const rank = ({ moduleId }) => 4 * distance(moduleId, mutated) + costOf(readFileSync(moduleId, "utf8"));
    const ranks = new Map(files.map((file) => [file, rank(file)]));
    return files.toSorted((left, right) => ranks.get(left) - ranks.get(right));
  }
}

/** 0 for the tests of the mutated file, 1 for other tests in its folder, 2 for the rest. */
function distance(test, mutated) {
  if (!mutated) return 0;
  if (test.replace(/\.test\.ts$/, ".ts") === mutated) return 0;
  return relative(join(mutated, ".."), join(test, "..")) === "" ? 1 : 2;
}

/** 3 for the suite over a whole store, 2 for tests that start all of Tackle, 1 for tests with a database, 0 for the rest. */
function costOf(source) {
  if (source.includes("storeConformance(")) return 3;
  if (/testing\/tackle\.ts"|\/index\.ts"/.test(source)) return 2;
  return /temporary\.ts|sqlite/.test(source) ? 1 : 0;
}

// Each mutant has its own worker, which reads what others have compiled.
process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, "compiled");

/** How many times longer everything may take than on two quiet cores. */
const patience = Number(process.env.MUTANT_PATIENCE ?? 1);

/** Fast tests only, without servers of databases: each of them runs again for every mutant that it covers. */
export default defineConfig({
  test: {
    include: [
      "src/{loop,guard,runs}/**/*.test.ts",
      "src/store/*.test.ts",
      "src/store/sqlite/*.test.ts",
      "test/{delegate,todo,workspace}.test.ts",
    ],
    // Only Vite can replace modules, which the test of the write-ahead log does.
    exclude: [
      "**/*measure.test.ts",
      "src/store/{postgres,nats}*.test.ts",
      "src/store/sqlite/write-ahead.test.ts",
    ],
    sequence: { sequencer: LikelyFirst },
    setupFiles: ["./test-file.mjs"],
    // As in `npm test`: the files of a worker share their modules, and Node loads them.
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A mutant that makes a test wait forever is killed by these. On two quiet cores, no test takes a quarter of it.
    testTimeout: 20_000 * patience,
    hookTimeout: 20_000 * patience,
    expect: { poll: { timeout: 5_000 * patience } },
  },
});
