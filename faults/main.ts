import { continueRounds } from "./continue.ts";
import { freezeRound, killMatrix, killRound } from "./kills.ts";
import { nodeRounds } from "./nodes.ts";
import { missingFor, playAll, SCENARIOS } from "./play.ts";
import { steerRounds } from "./steer.ts";
import { canHave, createWorld, ENGINES, type EngineName } from "./world.ts";

// `npm run faults` runs every scenario, `npm run faults -- NAME…` some of them. `npm run faults -- kills 200 [SEED]` and
// `… stops 50 [SEED]` kill or freeze instances that many times, in every phase of a run; `… continue 200 [SEED]` kills them in
// the middle of answers and compares every word; `… steer 200 [SEED]` kills them around messages that are sent into runs.
// `… nodes 50 [SEED]` kills, freezes and cuts off the nodes of the NATS cluster. `--engine=nats` chooses one engine.

const options = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const [first, ...rest] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const wantedEngine = options.find((option) => option.startsWith("--engine="))?.slice("--engine=".length);
// "postgres" is enough for PostgreSQL.
const engines = ENGINES.filter((engine) =>
  engine.toLowerCase().startsWith(wantedEngine?.toLowerCase() ?? ""),
);
if (engines.length === 0) throw new Error(`--engine is one of ${ENGINES.join(", ")}, not ${wantedEngine}`);
let good: boolean;
if (first === "kills" || first === "stops" || first === "continue" || first === "steer" || first === "nodes")
  good = await injectFaults(first, Number(rest[0] ?? 20), Number(rest[1] ?? 1));
else good = await play(first === undefined ? SCENARIOS.map(({ name }) => name) : [first, ...rest]);
// Exits explicitly, because a reset connection can keep the process alive.
process.exit(good ? 0 : 1);

async function injectFaults(
  what: "kills" | "stops" | "continue" | "steer" | "nodes",
  rounds: number,
  seed: number,
): Promise<boolean> {
  const suits = (engine: EngineName) => {
    if (what === "nodes") return engine === "NATS";
    // Freezing needs a second instance that can take over.
    return what !== "stops" || engine !== "SQLite";
  };
  const possible = engines.filter((engine) => suits(engine) && canHave(engine));
  const worlds = await Promise.all(possible.map((engine) => createWorld(engine)));
  try {
    if (what === "nodes") return await nodeRounds(worlds, rounds, seed);
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
  for (const engine of engines) {
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
