import { defineConfig } from "vitest/config";

/** Fast tests only: each of them runs again for every mutant that it covers. */
export default defineConfig({
  test: {
    include: ["src/{loop,guard,runs}/**/*.test.ts", "src/store/*.test.ts", "src/store/sqlite/*.test.ts"],
    exclude: ["**/*measure.test.ts", "src/store/postgres.test.ts"],
    testTimeout: 10_000,
    hookTimeout: 10_000,
  },
});
