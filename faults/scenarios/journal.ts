import assert from "node:assert/strict";
import { NODE_FAULTS, nodeRound } from "../nodes.ts";
import type { Scenario } from "../scenario.ts";

/** Faults of the NATS cluster that keeps the journal, while answers stream on two instances. */
export const JOURNAL_SCENARIOS: readonly Scenario[] = NODE_FAULTS.map((fault) => ({
  name: fault.scenario,
  engine: "NATS",
  async play(world) {
    const { lost, doubled } = await nodeRound(world, fault, Math.random);
    assert.deepEqual([...lost, ...doubled], []);
  },
}));
