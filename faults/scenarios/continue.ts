import assert from "node:assert/strict";
import { continueRounds, MANNERS } from "../continue.ts";
import type { Scenario } from "../scenario.ts";
import { MOMENTS, steerRounds } from "../steer.ts";
import type { EngineName } from "../world.ts";

/** Answers that are cut in the middle by a kill, and messages to runs whose instance is killed. */
export const CONTINUE_SCENARIOS: readonly Scenario[] = [
  continuing("continue-embedded", "SQLite"),
  continuing("continue-instance", "PostgreSQL"),
  steering("steer-embedded", "SQLite"),
  steering("steer-instance", "PostgreSQL"),
];

function continuing(name: string, engine: EngineName): Scenario {
  return {
    name,
    engine,
    async play(world) {
      assert.ok(
        await continueRounds([world], MANNERS.length, 1),
        "an answer was not finished, or not cleanly",
      );
    },
  };
}

function steering(name: string, engine: EngineName): Scenario {
  return {
    name,
    engine,
    async play(world) {
      assert.ok(await steerRounds([world], MOMENTS.length, 1), "a message was not used exactly once");
    },
  };
}
