// `npm run check`: formatter, linter, types, import boundaries, unused code, and the figures of the sources. Under a minute.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { install, nodePath, root, say } from "./setup.mjs";

const bin = (...path) => join(root, "node_modules", ...path);
/** What the compiler found out about files that have not changed since. */
const known = bin(".cache", "tackle-types.tsbuildinfo");
// Each checker finds out by itself what others know already: one takes 17 s of CPU time for everything, and four take 29 s.
const checkers = ["--checkers", "1"];
const types = [
  bin("typescript", "bin", "tsc"),
  ...["-p", ".", "--incremental", "--tsBuildInfoFile", known, ...checkers],
];
const steps = [
  ["format and lint", [bin("@biomejs", "biome", "bin", "biome"), "check", "--error-on-warnings", "."]],
  ["import boundaries", [bin("vitest", "vitest.mjs"), "run", "test/rooms.test.ts", "--reporter=dot"]],
  ["unused code", [bin("knip", "bin", "knip.js"), "--no-config-hints"]],
  ["figures of src/", [join(root, "scripts", "figures.ts")]],
  ["age of the facts about models", [join(root, "scripts", "facts.ts")]],
];

install("test");
// The types take as long as everything else, which therefore runs meanwhile.
const typesChecked = finish(types);
let failed = 0;
for (const [name, args] of steps) await report(name, finish(args));
await report("types", typesChecked);
say(failed === 0 ? "check: passed" : `check: ${failed} of ${steps.length + 1} failed`);
process.exit(failed === 0 ? 0 : 1);

/** Runs a step to its end. Returns its exit code and what it printed. */
async function finish(args) {
  const color = process.stdout.isTTY ? { FORCE_COLOR: "1" } : {};
  const options = { cwd: root, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...color } };
  const child = spawn(nodePath(), args, options);
  const [[status], ...printed] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { status, printed: printed.join("") };
}

async function report(name, finishing) {
  const { status, printed } = await finishing;
  say(`check: ${name}`);
  process.stdout.write(printed);
  if (status !== 0) failed++;
}
