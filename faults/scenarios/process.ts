import assert from "node:assert/strict";
import { freezeRound, killRound, type RoundOutcome } from "../kills.ts";
import { PHASES, type Phase } from "../phases.ts";
import { instanceOf, type Scenario } from "../scenario.ts";
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

/** What happens to processes. */
export const PROCESS_SCENARIOS: readonly Scenario[] = [
  { name: "kill-embedded", engine: "SQLite", play: (world) => strike(world, killRound, LOST_STATEMENT) },
  { name: "kill-instance", engine: "PostgreSQL", play: (world) => strike(world, killRound, LOST_STATEMENT) },
  { name: "freeze-instance", engine: "PostgreSQL", play: (world) => strike(world, freezeRound, LOST_ANSWER) },
];
