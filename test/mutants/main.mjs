import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { filesOf, PLACES, placeOf } from "./places.mjs";
import { keyOf } from "./sampler.mjs";

const GOAL = 80;
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    seed: { type: "string", default: "1" },
    sample: { type: "string" },
    all: { type: "boolean", default: false },
  },
});
const places = options.only ? [options.only] : Object.keys(PLACES);
const unknown = places.find((place) => !(place in PLACES));
if (unknown) {
  console.error(`There is no place "${unknown}". Places: ${Object.keys(PLACES).join(", ")}.`);
  process.exit(2);
}

const files = places.flatMap((place) => filesOf(place, root));
const mutants = await listMutants();
const wanted = options.all ? mutants.length : Number(options.sample ?? Math.min(600, mutants.length));
const sample = shuffled(mutants, Number(options.seed)).slice(0, wanted);
console.log(`mutants: ${sample.length} of ${mutants.length} in ${files.length} files, seed ${options.seed}`);

const copy = mkdtempSync(join(tmpdir(), "tackle-mutants-"));
try {
  const results = runStryker();
  process.exitCode = report(results) ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Lists every mutant that Stryker would make of the files. */
async function listMutants() {
  const silent = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false };
  const sources = files.map((name) => ({
    name,
    mutate: true,
    content: readFileSync(join(root, name), "utf8"),
  }));
  const settings = { ignorers: [], excludedMutations: [], plugins: null };
  const { mutants: found } = await new Instrumenter(silent).instrument(sources, settings);
  return found
    .filter(({ status }) => status !== "Ignored")
    .map(keyOf)
    .sort();
}

/** Shuffles in an order that depends only on the seed. */
function shuffled(list, seed) {
  const mixed = [...list];
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  for (let last = mixed.length - 1; last > 0; last--) {
    // Xorshift, 32 bits.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const other = (state >>> 0) % (last + 1);
    [mixed[last], mixed[other]] = [mixed[other], mixed[last]];
  }
  return mixed;
}

/** Runs Stryker in a copy of the tree, so that nothing is written into the tree itself. */
function runStryker() {
  // Without tsconfig.json: Stryker would rewrite it with an interface that TypeScript 7 no longer has.
  for (const name of ["src", "test", "bench", "faults", "package.json"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const name of ["sampler.mjs", "test-file.mjs", "vitest.config.mjs"])
    cpSync(join(root, "test", "mutants", name), join(copy, name));
  writeFileSync(join(copy, "sample.json"), JSON.stringify(sample));
  const stryker = join(root, "node_modules", "@stryker-mutator");
  const settings = {
    mutate: [...new Set(sample.map((key) => key.slice(0, key.indexOf(":"))))],
    plugins: [join(stryker, "vitest-runner", "dist", "src", "index.js"), join(copy, "sampler.mjs")],
    testRunner: "vitest",
    vitest: { configFile: "vitest.config.mjs", related: true },
    checkers: ["sampler"],
    coverageAnalysis: "perTest",
    // A mutant outside of all functions would need every test to run again.
    ignoreStatic: true,
    concurrency: 2,
    timeoutMS: 5_000,
    dryRunTimeoutMinutes: 15,
    reporters: ["json"],
    jsonReporter: { fileName: "report.json" },
    tempDirName: join(copy, "sandbox"),
    cleanTempDir: "always",
    disableTypeChecks: false,
    allowConsoleColors: false,
  };
  writeFileSync(join(copy, "stryker.config.json"), JSON.stringify(settings));
  const done = spawnSync(
    process.execPath,
    [join(stryker, "core", "bin", "stryker.js"), "run", "stryker.config.json"],
    {
      cwd: copy,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, MUTANT_SAMPLE: join(copy, "sample.json") },
    },
  );
  if (done.status !== 0) throw new Error("Stryker failed; its message is above.");
  const { files: reported } = JSON.parse(readFileSync(join(copy, "report.json"), "utf8"));
  const chosen = new Set(sample);
  return Object.entries(reported).flatMap(([fileName, { mutants: here, source }]) =>
    here
      .filter((mutant) => chosen.has(keyOf({ ...mutant, fileName, location: fromZero(mutant.location) })))
      .map((mutant) => ({ ...mutant, fileName, source })),
  );
}

/** Reports count lines and columns from 1, mutants from 0. */
function fromZero({ start, end }) {
  const shift = ({ line, column }) => ({ line: line - 1, column: column - 1 });
  return { start: shift(start), end: shift(end) };
}

/** Prints the survivors, what was killed only by a time-out, and the score of each place. Returns true if the goal is met. */
function report(results) {
  const isAlive = ({ status }) => status === "Survived" || status === "NoCoverage";
  for (const mutant of results.filter((one) => isAlive(one) || isLate(one))) console.log(describe(mutant));
  const scores = places.map((place) =>
    printScore(
      place,
      results.filter(({ fileName }) => placeOf(fileName) === place),
    ),
  );
  const total = places.length > 1 ? printScore("all", results) : scores[0];
  return total >= GOAL;
}

function printScore(name, results) {
  const count = (...statuses) => results.filter(({ status }) => statuses.includes(status)).length;
  const killed = count("Killed", "Timeout");
  const late = results.filter(isLate).length;
  const alive = count("Survived", "NoCoverage");
  const score = (100 * killed) / Math.max(1, killed + alive);
  const skipped = results.length - killed - alive;
  console.log(
    `${name.padEnd(8)} ${score.toFixed(1).padStart(5)} %  ${killed} killed (${late} by a time-out), ${alive} survived (${count("NoCoverage")} without a test), ${skipped} not run`,
  );
  return score;
}

/** Returns true for a mutant that made a test hang, which either Stryker or Vitest has ended. */
function isLate({ status, statusReason }) {
  return status === "Timeout" || (status === "Killed" && /^(Test|Hook) timed out/.test(statusReason ?? ""));
}

function describe(mutant) {
  const { fileName, location, source, mutatorName, replacement, status } = mutant;
  const { start, end } = location;
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const first = lines[0]?.slice(start.column - 1, lines.length > 1 ? undefined : end.column - 1) ?? "";
  const shorten = (text) => text.replace(/\s+/g, " ").slice(0, 80);
  const note = isLate(mutant) ? ", a time-out kills it" : status === "NoCoverage" ? ", no test runs it" : "";
  return `${fileName}:${start.line}:${start.column} ${mutatorName}${note}: ${shorten(first)} → ${shorten(replacement ?? "")}`;
}
