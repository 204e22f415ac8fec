import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { filesOf, PLACES } from "./places.mjs";
import { printReport } from "./report.mjs";
import { keyOf } from "./sampler.mjs";

const GOAL = 80;
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    seed: { type: "string", default: "1" },
    sample: { type: "string" },
    patience: { type: "string", default: "1" },
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
const resultsFile = join(copy, "results.jsonl");
let isStopped = false;
try {
  await runStryker();
  const results = existsSync(resultsFile) ? readFileSync(resultsFile, "utf8").trim().split("\n") : [];
  const score = printReport(
    results.map((line) => JSON.parse(line)),
    { places, sample, copy },
  );
  process.exitCode = score >= GOAL && !isStopped ? 0 : 1;
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

/** Runs Stryker in a copy of the tree, so that nothing is written into the tree itself. A signal stops it early. */
async function runStryker() {
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
    timeoutMS: 5_000 * Number(options.patience),
    dryRunTimeoutMinutes: 15 * Number(options.patience),
    reporters: ["results"],
    tempDirName: join(copy, "sandbox"),
    cleanTempDir: "always",
    disableTypeChecks: false,
    allowConsoleColors: false,
  };
  writeFileSync(join(copy, "stryker.config.json"), JSON.stringify(settings));
  const child = spawn(
    process.execPath,
    [join(stryker, "core", "bin", "stryker.js"), "run", "stryker.config.json"],
    {
      cwd: copy,
      stdio: ["ignore", "inherit", "inherit"],
      env: {
        ...process.env,
        MUTANT_SAMPLE: join(copy, "sample.json"),
        MUTANT_RESULTS: resultsFile,
        MUTANT_PATIENCE: options.patience,
      },
    },
  );
  for (const signal of ["SIGINT", "SIGTERM"])
    process.on(signal, () => {
      isStopped = true;
      child.kill(signal);
    });
  const [status] = await once(child, "exit");
  if (status !== 0 && !isStopped) throw new Error("Stryker failed; its message is above.");
}
