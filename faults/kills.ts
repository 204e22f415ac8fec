import { setTimeout as pause } from "node:timers/promises";
import { seededRandom } from "../src/store/conformance/harness.ts";
import type { Instance } from "./instance.ts";
import { checkWorld, type Violations } from "./invariants.ts";
import { PHASES, type Phase, type Standing } from "./phases.ts";
import { LEASE_MS, type World } from "./world.ts";

export interface RoundOutcome extends Violations {
  runs: number;
  /** From the blow to the end of the last run, with everything that had to be done anew. */
  tookMs: number;
}

/** Begins turns in these phases on one instance, kills it with SIGKILL once all are there, starts it again and checks. */
export async function killRound(
  world: World,
  victim: Instance,
  phases: readonly Phase[],
  random: () => number,
): Promise<RoundOutcome> {
  const standing = await stand(world, victim, phases, random);
  const runs = world.turns.length;
  if (standing.some(({ dies }) => dies)) await victim.died();
  else await victim.kill();
  const at = performance.now();
  // A packet that was under way is lost, or arrives all the same, at once or only after somebody else was asked.
  if (random() < 0.5) victim.line?.reset();
  await pause(random() * 300);
  victim.line?.mend();
  for (const { release } of standing) release();
  await victim.start();
  const violations = await checkWorld(world);
  return { ...violations, runs, tookMs: performance.now() - at };
}

/** The same with SIGSTOP: the instance stands still for longer than its lease, and then goes on where it was. */
export async function freezeRound(
  world: World,
  victim: Instance,
  phases: readonly Phase[],
  random: () => number,
): Promise<RoundOutcome> {
  const standing = await stand(world, victim, phases, random);
  const turns = [...world.turns];
  victim.freeze();
  const at = performance.now();
  const others = world.instances.filter((instance) => instance !== victim);
  if (others.length > 0) await Promise.all(turns.map(({ ended }) => ended));
  else await pause(LEASE_MS * 1.5);
  const tookMs = performance.now() - at;
  for (const { release } of standing) release();
  victim.thaw();
  victim.line?.mend();
  return { ...(await checkWorld(world)), runs: turns.length, tookMs };
}

async function stand(
  world: World,
  victim: Instance,
  phases: readonly Phase[],
  random: () => number,
): Promise<Standing[]> {
  // Those whose moment is a held statement come last: from then on nothing of this instance reaches the database.
  const standing: Standing[] = [];
  for (const phase of phases) {
    const one = phase.begin(world, victim, random);
    standing.push(one);
    await within(60_000, one.reached, phase.name);
  }
  return standing;
}

/** Waits for a moment that has to come, but not for ever. */
export async function within(ms: number, promise: Promise<void>, what: string): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`nothing came to “${what}” in ${ms} ms`)), ms);
  try {
    await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

interface Row {
  engine: string;
  phase: string;
  kills: number;
  runs: number;
  lost: string[];
  doubled: string[];
  longestMs: number;
}

/** Kills (or freezes) so many times, over all phases and the worlds that are given, and prints what became of it. */
export async function killMatrix(
  worlds: readonly World[],
  blows: number,
  round: typeof killRound,
  seed: number,
): Promise<boolean> {
  // Seeds that are neighbours begin alike.
  const random = seededRandom(Math.imul(seed, 2_654_435_761));
  const rows = new Map<string, Row>();
  for (let blow = 0; blow < blows; blow++) {
    const world = worlds[blow % worlds.length];
    const phase = PHASES[Math.floor(blow / worlds.length) % PHASES.length];
    const victim = world?.instances[Math.floor(random() * world.instances.length)];
    if (!world || !phase || !victim) throw new Error("there is nothing to kill");
    const streaming = PHASES.find(({ name }) => name === "model streaming");
    const outcome = await round(world, victim, streaming ? [streaming, phase] : [phase], random);
    const row = rowOf(rows, world.engine, phase.name);
    row.kills += 1;
    row.runs += outcome.runs;
    row.lost.push(...outcome.lost);
    row.doubled.push(...outcome.doubled);
    row.longestMs = Math.max(row.longestMs, outcome.tookMs);
    for (const line of [...outcome.lost, ...outcome.doubled]) console.log(`blow ${blow + 1}: ${line}`);
    if ((blow + 1) % 20 === 0) console.log(`${blow + 1} of ${blows}`);
  }
  return report([...rows.values()]);
}

function rowOf(rows: Map<string, Row>, engine: string, phase: string): Row {
  const key = `${engine} ${phase}`;
  const row = rows.get(key) ?? { engine, phase, kills: 0, runs: 0, lost: [], doubled: [], longestMs: 0 };
  rows.set(key, row);
  return row;
}

function report(rows: Row[]): boolean {
  rows.sort((a, b) => a.engine.localeCompare(b.engine));
  console.table(
    rows.map(({ engine, phase, kills, runs, lost, doubled, longestMs }) => ({
      engine,
      phase,
      blows: kills,
      runs,
      lost: lost.length,
      doubled: doubled.length,
      "longest until over (ms)": Math.round(longestMs),
    })),
  );
  const sum = (count: (row: Row) => number) => rows.reduce((total, row) => total + count(row), 0);
  const lost = sum((row) => row.lost.length);
  const doubled = sum((row) => row.doubled.length);
  console.log(
    `${sum((row) => row.kills)} blows, ${sum((row) => row.runs)} runs: ${lost} lost, ${doubled} doubled`,
  );
  return lost + doubled === 0;
}
