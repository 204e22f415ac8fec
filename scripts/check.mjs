// `npm run check`: formatter, linter, types, import boundaries, unused code, and the figures of the sources. Under a minute.
import { join } from "node:path";
import { install, root, run, say } from "./setup.mjs";

const bin = (...path) => join(root, "node_modules", ...path);
const steps = [
  ["format and lint", [bin("@biomejs", "biome", "bin", "biome"), "check", "--error-on-warnings", "."]],
  ["types", [bin("typescript", "bin", "tsc"), "-p", "."]],
  ["import boundaries", [bin("vitest", "vitest.mjs"), "run", "test/rooms.test.ts", "--reporter=dot"]],
  ["unused code", [bin("knip", "bin", "knip.js"), "--no-config-hints"]],
  ["figures of src/", [join(root, "scripts", "figures.ts")]],
  ["age of the facts about models", [join(root, "scripts", "facts.ts")]],
];

install("test");
let failed = 0;
for (const [name, args] of steps) {
  say(`check: ${name}`);
  if (run(args) !== 0) failed++;
}
say(failed === 0 ? "check: passed" : `check: ${failed} of ${steps.length} failed`);
process.exit(failed === 0 ? 0 : 1);
