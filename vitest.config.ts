import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/**
 * A test file that imports one of these needs a server process, a browser, a database server or object storage.
 * `npm run test:fast` leaves such files out; every other file, and so a new one, is fast.
 */
const SLOW_PARTS =
  /"(?:playwright-core|[^"]*\/(?:faults\/[^"]*|support\/(?:accounts|browser|hostile-world|openai|pages|server|web)\.ts|testing\/(?:browser|object-storage|postgres)\.ts))"/;
/** These are slow for another reason: they install the package, and load the clients of several vendors. */
const SLOW_FILES = ["test/package.test.ts", "test/openai-clients.test.ts"];

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
      { extends: true, test: { name: "fast", include: files.filter((path) => !slow.includes(path)) } },
      { extends: true, test: { name: "slow", include: slow } },
    ],
  },
});
