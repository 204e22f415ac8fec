import { setTimeout as pause } from "node:timers/promises";
import { seededRandom } from "../src/store/conformance/harness.ts";
import type { Instance } from "./instance.ts";
import { checkWorld, type Violations } from "./invariants.ts";
import { type HeldTurn, PHASES, type Phase } from "./phases.ts";
import { type FaultRow, report } from "./report.ts";
import { LEASE_MS, type World } from "./world.ts";

export interface RoundOutcome extends Violations {
  runs: number;
  /** The time from the fault to the end of the last run, including all repeated work. */
  tookMs: number;
}

/** Starts turns on one instance, kills it with SIGKILL when each turn has reached its phase, restarts it and checks the guarantees. */
export async function killRound(
  world: World,
  victim: Instance,
  phases: readonly Phase[],
  random: () => number,
): Promise<RoundOutcome> {
  const held = await holdTurns(world, victim, phases, random);
  const runs = world.turns.length;
  if (held.some(({ dies }) => dies)) await victim.died();
  else await victim.kill();
  const at = performance.now();
  // A packet in transit is either lost or still arrives, immediately or after another instance took over.
  if (random() < 0.5) victim.line?.reset();
  await pause(random() * 300);
  victim.line?.mend();
  for (const { release } of held) release();
  await victim.start();
  const violations = await checkWorld(world);
  return { ...violations, runs, tookMs: performance.now() - at };
}

/** Does the same with SIGSTOP: the instance is paused for longer than its lease and then resumes. */
export async function freezeRound(
  world: World,
  victim: Instance,
  phases: readonly Phase[],
  random: () => number,
): Promise<RoundOutcome> {
  const held = await holdTurns(world, victim, phases, random);
  const turns = [...world.turns];
  victim.freeze();
  const at = performance.now();
  const others = world.instances.filter((instance) => instance !== victim);
  if (others.length > 0) await Promise.all(turns.map(({ ended }) => ended));
  else await pause(LEASE_MS * 1.5);
  const tookMs = performance.now() - at;
  for (const { release } of held) release();
  victim.thaw();
  victim.line?.mend();
  return { ...(await checkWorld(world)), runs: turns.length, tookMs };
}

async function holdTurns(
  world: World,
  victim: Instance,
  phases: readonly Phase[],
  random: () => number,
): Promise<HeldTurn[]> {
  // Phases that hold a statement come last, because after that nothing from this instance reaches the database.
  const held: HeldTurn[] = [];
  for (const phase of phases) {
    const one = phase.begin(world, victim, random);
    held.push(one);
    await within(60_000, one.reached, phase.name);
  }
  return held;
}

/** Waits for the promise, and throws after `ms`. */
export async function within(ms: number, promise: Promise<void>, what: string): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`“${what}” was not reached within ${ms} ms`)), ms);
  try {
    await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Kills or freezes instances `rounds` times across all phases and worlds, and prints the results. */
export async function killMatrix(
  worlds: readonly World[],
  rounds: number,
  round: typeof killRound,
  seed: number,
): Promise<boolean> {
  // Adjacent seeds would start with similar values.
  const random = seededRandom(Math.imul(seed, 2_654_435_761));
  const rows = new Map<string, FaultRow>();
  for (let index = 0; index < rounds; index++) {
    const world = worlds[index % worlds.length];
    const phase = PHASES[Math.floor(index / worlds.length) % PHASES.length];
    const victim = world?.instances[Math.floor(random() * world.instances.length)];
    if (!world || !phase || !victim) throw new Error("there is no instance to kill");
    const streaming = PHASES.find(({ name }) => name === "model streaming");
    const outcome = await round(world, victim, streaming ? [streaming, phase] : [phase], random);
    const row = rowOf(rows, world.engine, phase.name);
    row.kills += 1;
    row.runs += outcome.runs;
    row.lost.push(...outcome.lost);
    row.doubled.push(...outcome.doubled);
    row.longestMs = Math.max(row.longestMs, outcome.tookMs);
    for (const line of [...outcome.lost, ...outcome.doubled]) console.log(`round ${index + 1}: ${line}`);
    if ((index + 1) % 20 === 0) console.log(`${index + 1} of ${rounds}`);
  }
  return report([...rows.values()]);
}

function rowOf(rows: Map<string, FaultRow>, engine: string, phase: string): FaultRow {
  const key = `${engine} ${phase}`;
  const row = rows.get(key) ?? { engine, phase, kills: 0, runs: 0, lost: [], doubled: [], longestMs: 0 };
  rows.set(key, row);
  return row;
}
