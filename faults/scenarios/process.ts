import assert from "node:assert/strict";
import { freezeRound, killRound, type RoundOutcome, within } from "../kills.ts";
import { PHASES, type Phase } from "../phases.ts";
import { instanceOf, type Scenario, until } from "../scenario.ts";
import type { World } from "../world.ts";

/** Decides where chance would: the statement that was under way is lost, or its answer is. */
const LOST_STATEMENT = 0.3;
const LOST_ANSWER = 0.7;

/** Every phase, in as few blows as there are phases that nothing else of the same instance can go on beside. */
function inRounds(): Phase[][] {
  const named = (name: string) => PHASES.filter((phase) => phase.name === name);
  const alone = PHASES.filter(({ name }) => name !== "model streaming" && name !== "tool running");
  return alone.map((phase, index) => [...named(index === 0 ? "model streaming" : "tool running"), phase]);
}

async function strike(
  world: World,
  round: (...given: Parameters<typeof killRound>) => Promise<RoundOutcome>,
  chance: number,
): Promise<void> {
  for (const [index, phases] of inRounds().entries()) {
    const victim = instanceOf(world, index % world.instances.length);
    const { lost, doubled } = await round(world, victim, phases, () => chance);
    assert.deepEqual({ lost, doubled }, { lost: [], doubled: [] });
  }
}

/** What was held back has reached the database, and the database has answered. */
async function arrived(world: World, since: string): Promise<void> {
  await until("the late write arrives", async () => {
    const found = await world.cluster?.run(
      `SELECT pid FROM pg_stat_activity
       WHERE state = 'idle' AND query LIKE '%batch AS MATERIALIZED%' AND query_start > '${since}'`,
    );
    return (found ?? []).length > 0;
  });
}

/**
 * An instance stands still with a write under way; another takes the run up, and its first write is under way as well
 * when the late one arrives: that would fit, so nothing but the epoch of its owner can refuse it.
 */
async function writeLate(world: World, phaseName: string, firstOfSuccessor: string): Promise<void> {
  const [sleeper, successor] = [instanceOf(world, 0), instanceOf(world, 1)];
  const phase = PHASES.find(({ name }) => name === phaseName);
  if (!phase || !successor.line) throw new Error(`${phaseName} cannot be played here`);
  const held = successor.line.holdAt(firstOfSuccessor, "asks");
  const standing = phase.begin(world, sleeper, () => LOST_STATEMENT);
  try {
    await within(60_000, standing.reached, phaseName);
    const read = async () => (await world.inspection.runs([standing.turn.text]))[0];
    const written = await read();
    sleeper.freeze();
    await within(60_000, held, "the first write of who took over");
    const before = await read();
    assert.deepEqual(before, written && { ...written, epoch: 2 });
    const [clock] = (await world.cluster?.run("SELECT clock_timestamp()::text AS now")) ?? [];
    sleeper.line?.mend();
    await arrived(world, String((clock as { now: string }).now));
    assert.deepEqual(await read(), before, "the late write changed something");
    successor.line.mend();
    await standing.turn.ended;
  } finally {
    standing.release();
    await Promise.all([sleeper.restore(), successor.restore()]);
  }
}

/** What happens to processes. */
export const PROCESS_SCENARIOS: readonly Scenario[] = [
  { name: "kill-embedded", engine: "SQLite", play: (world) => strike(world, killRound, LOST_STATEMENT) },
  { name: "kill-instance", engine: "PostgreSQL", play: (world) => strike(world, killRound, LOST_STATEMENT) },
  { name: "freeze-instance", engine: "PostgreSQL", play: (world) => strike(world, freezeRound, LOST_ANSWER) },
  {
    name: "late-write",
    engine: "PostgreSQL",
    async play(world) {
      await writeLate(world, "tool done, not recorded", "tool_result");
      await writeLate(world, "finalising", "iterations");
    },
  },
];
