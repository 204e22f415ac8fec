import { defineConfig } from "vitest/config";

/**
 * Tests that `npm run test:fast` leaves out, by what they need. Every other file is a fast one, so a new file is too unless
 * its name matches.
 */
const SLOW = {
  browser: [
    "test/web*.test.ts",
    "test/front-end-use-chat.test.ts",
    "**/browser.test.ts",
    "**/*.browser.test.ts",
  ],
  databaseServer: [
    "src/store/postgres.test.ts",
    "src/store/postgres/*.test.ts",
    "test/instances.test.ts",
    "**/*.postgres.test.ts",
  ],
  objectStorage: ["src/files/byte-store.test.ts", "test/backup.test.ts"],
  pages: ["test/docs.test.ts"],
  soaksAndFaults: ["test/soak.test.ts", "test/faults.test.ts", "test/crash.test.ts"],
  network: ["test/package.test.ts"],
};

const slow = Object.values(SLOW).flat();

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts"],
          exclude: slow,
        },
      },
      { extends: true, test: { name: "slow", include: slow } },
    ],
  },
});
