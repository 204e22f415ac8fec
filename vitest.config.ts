import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/**
 * A test file that imports one of these needs a server process, a browser, a database server or object storage.
 * `npm run test:fast` leaves such files out; every other file, and so a new one, is fast.
 */
const SLOW_PARTS =
  /"(?:playwright-core|[^"]*\/(?:faults\/[^"]*|support\/(?:accounts|browser|hostile-world|openai|pages|server|web)\.ts|testing\/(?:browser|object-storage|postgres)\.ts))"/;
/** These are slow for another reason: they start many processes, hash many passwords, or race for a second at a time. */
const SLOW_FILES = [
  "src/accounts/accounts.test.ts",
  "src/cli.test.ts",
  "src/contain/command.test.ts",
  "src/contain/command/probes.test.ts",
  "src/contain/paths.test.ts",
  "src/terminal/print.test.ts",
  "src/terminal/repl.test.ts",
  "src/tools/artifacts/pipeline.test.ts",
  "test/openai-clients.test.ts",
  "test/package.test.ts",
  "test/replay.test.ts",
];

const root = import.meta.dirname;
const files = globSync("{src,test,bench}/**/*.test.ts", { cwd: root }).map((path) =>
  path.replaceAll("\\", "/"),
);
const slow = files.filter(
  (path) => SLOW_FILES.includes(path) || SLOW_PARTS.test(readFileSync(join(root, path), "utf8")),
);

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        // Files of one worker share their modules: less than half the CPU time.
        test: { name: "fast", isolate: false, include: files.filter((path) => !slow.includes(path)) },
      },
      { extends: true, test: { name: "slow", include: slow } },
    ],
  },
});
