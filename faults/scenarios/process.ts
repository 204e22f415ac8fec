import assert from "node:assert/strict";
import { freezeRound, killRound, type RoundOutcome, within } from "../kills.ts";
import { PHASES, type Phase } from "../phases.ts";
import { instanceOf, type Scenario, until } from "../scenario.ts";
import type { World } from "../world.ts";

/** Replaces chance: the statement in transit is lost, or its reply is. */
const LOST_STATEMENT = 0.3;
const LOST_ANSWER = 0.7;

/** Groups all phases into as few rounds as possible. Phases that block the whole instance need their own round. */
function inRounds(): Phase[][] {
  const named = (name: string) => PHASES.filter((phase) => phase.name === name);
  const alone = PHASES.filter(({ name }) => name !== "model streaming" && name !== "tool running");
  return alone.map((phase, index) => [...named(index === 0 ? "model streaming" : "tool running"), phase]);
}

async function killInEveryPhase(
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

/** Resolves when the held write has reached the database and the database has replied. */
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
 * Freezes an instance with a write in transit. Another takes over the run, and its first write is in transit too
 * when the late one arrives. The late write would fit, so only the owner's epoch can refuse it.
 */
async function writeLate(world: World, phaseName: string, firstOfSuccessor: string): Promise<void> {
  const [frozen, successor] = [instanceOf(world, 0), instanceOf(world, 1)];
  const phase = PHASES.find(({ name }) => name === phaseName);
  if (!phase || !successor.line) throw new Error(`${phaseName} cannot run here`);
  const held = successor.line.holdAt(firstOfSuccessor, "asks");
  const heldTurn = phase.begin(world, frozen, () => LOST_STATEMENT);
  try {
    await within(60_000, heldTurn.reached, phaseName);
    const read = async () => (await world.inspection.runs([heldTurn.turn.text]))[0];
    const written = await read();
    frozen.freeze();
    await within(60_000, held, "the first write of the new owner");
    const before = await read();
    assert.deepEqual(before, written && { ...written, epoch: 2 });
    const [clock] = (await world.cluster?.run("SELECT clock_timestamp()::text AS now")) ?? [];
    frozen.line?.mend();
    await arrived(world, String((clock as { now: string }).now));
    assert.deepEqual(await read(), before, "the late write changed something");
    successor.line.mend();
    await heldTurn.turn.ended;
  } finally {
    heldTurn.release();
    await Promise.all([frozen.restore(), successor.restore()]);
  }
}

/** Faults of processes. */
export const PROCESS_SCENARIOS: readonly Scenario[] = [
  {
    name: "kill-embedded",
    engine: "SQLite",
    play: (world) => killInEveryPhase(world, killRound, LOST_STATEMENT),
  },
  {
    name: "kill-instance",
    engine: "PostgreSQL",
    play: (world) => killInEveryPhase(world, killRound, LOST_STATEMENT),
  },
  {
    name: "freeze-instance",
    engine: "PostgreSQL",
    play: (world) => killInEveryPhase(world, freezeRound, LOST_ANSWER),
  },
  {
    name: "late-write",
    engine: "PostgreSQL",
    async play(world) {
      await writeLate(world, "tool done, not recorded", "tool_result");
      await writeLate(world, "finalising", "iterations");
    },
  },
];
