import { continueRounds } from "./continue.ts";
import { freezeRound, killMatrix, killRound } from "./kills.ts";
import { missingFor, playAll, SCENARIOS } from "./play.ts";
import { steerRounds } from "./steer.ts";
import { canHave, createWorld, type EngineName } from "./world.ts";

// `npm run faults` runs every scenario, `npm run faults -- NAME…` some of them. `npm run faults -- kills 200 [SEED]` and
// `… stops 50 [SEED]` kill or freeze instances that many times, in every phase of a run; `… continue 200 [SEED]` kills them in
// the middle of answers and compares every word; `… steer 200 [SEED]` kills them around messages that are sent into runs.

const [first, ...rest] = process.argv.slice(2);
let good: boolean;
if (first === "kills" || first === "stops" || first === "continue" || first === "steer")
  good = await injectFaults(first, Number(rest[0] ?? 20), Number(rest[1] ?? 1));
else good = await play(first === undefined ? SCENARIOS.map(({ name }) => name) : [first, ...rest]);
// Exits explicitly, because a reset connection can keep the process alive.
process.exit(good ? 0 : 1);

async function injectFaults(
  what: "kills" | "stops" | "continue" | "steer",
  rounds: number,
  seed: number,
): Promise<boolean> {
  // Freezing needs a second instance that can take over, so it runs on PostgreSQL only.
  const engines: EngineName[] = what === "stops" ? ["PostgreSQL"] : ["SQLite", "PostgreSQL"];
  const worlds = await Promise.all(engines.filter(canHave).map((engine) => createWorld(engine)));
  try {
    if (what === "steer") return await steerRounds(worlds, rounds, seed);
    if (what === "continue") return await continueRounds(worlds, rounds, seed);
    return await killMatrix(worlds, rounds, what === "kills" ? killRound : freezeRound, seed);
  } finally {
    for (const world of worlds) await world.close();
  }
}

async function play(names: readonly string[]): Promise<boolean> {
  const unknown = names.filter((name) => !SCENARIOS.some((one) => one.name === name));
  if (unknown.length > 0) {
    console.log(`Unknown: ${unknown.join(", ")}. Scenarios: ${SCENARIOS.map(({ name }) => name).join(", ")}`);
    return false;
  }
  let failed = 0;
  const wanted = SCENARIOS.filter(({ name }) => names.includes(name));
  for (const { name, why } of wanted.map((one) => ({ name: one.name, why: missingFor(one) })))
    if (why) console.log(`skipped  ${name}: ${why}`);
  const possible = wanted.filter((one) => !missingFor(one));
  for (const engine of ["SQLite", "PostgreSQL"] as const) {
    await playAll(engine, possible, async (name, outcome) => {
      const began = performance.now();
      const failure = await outcome.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (failure) failed += 1;
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.log(`${failure ? "FAILED" : "passed"}  ${seconds.padStart(6)} s  ${name}`);
      if (failure) console.log(failure);
    });
  }
  console.log(`${possible.length - failed} of ${possible.length} passed`);
  return failed === 0;
}
