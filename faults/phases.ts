import { setTimeout as pause } from "node:timers/promises";
import { chatTurn } from "../src/sim/turns.ts";
import type { Instance } from "./instance.ts";
import type { FollowedTurn } from "./turn.ts";
import type { World } from "./world.ts";

/** A turn that is held in a phase. */
export interface HeldTurn {
  turn: FollowedTurn;
  /** Resolves when the turn has reached the phase. */
  reached: Promise<void>;
  /** True if the process kills itself in this phase. */
  dies: boolean;
  /** Lets the turn continue. */
  release(): void;
}

/** A phase of a run in which its process may be killed or frozen. */
export interface Phase {
  name: string;
  begin(world: World, instance: Instance, random: () => number): HeldTurn;
}

const WORDS = Array.from({ length: 40 }, (_, index) => `word-${index}.`).join(" ");
const AFTER = "After that.";

/**
 * All phases. On PostgreSQL the moment is exact: the proxy holds the statement that would end the phase, or the reply
 * to it. SQLite replies at once, so there the moment is random within a few milliseconds.
 */
export const PHASES: readonly Phase[] = [
  {
    name: "before acknowledgement",
    begin(world, at, random) {
      const reached = at.line?.holdAt(`turn-`, side(random)) ?? pause(random() * 20);
      const turn = world.turn(() => chatTurn({ text: AFTER }), { at });
      return { turn, reached, dies: false, release() {} };
    },
  },
  {
    name: "model streaming",
    begin(world, at, random) {
      const play = (_: number, attempt: number) =>
        attempt === 0
          ? { ...chatTurn({ text: WORDS, chunkSize: "word" }), gapMs: 12 }
          : chatTurn({ text: AFTER });
      const turn = world.turn(play, { at });
      return { turn, reached: turn.seen(`word-${Math.floor(random() * 25)}.`), dies: false, release() {} };
    },
  },
  {
    name: "tool running",
    begin(world, at) {
      const gate = world.gate();
      const turn = world.turn((step) => noting(step, { gate: gate.path }), { at });
      return { turn, reached: hadEffect(world, turn), dies: false, release: gate.open };
    },
  },
  {
    name: "tool done, not recorded",
    begin(world, at, random) {
      if (at.line) {
        const reached = at.line.holdAt("tool_result", side(random));
        return { turn: world.turn((step) => noting(step, {}), { at }), reached, dies: false, release() {} };
      }
      const dieAfterMs = random() < 0.5 ? 0 : Math.round(random() * 4);
      const turn = world.turn((step) => noting(step, { dieAfterMs }), { at });
      return { turn, reached: at.died(), dies: true, release() {} };
    },
  },
  {
    name: "finalising",
    begin(world, at, random) {
      const rest = Promise.withResolvers<void>();
      const play = () => {
        const whole = chatTurn({ text: "nearly there", chunkSize: "word" });
        return {
          ...whole,
          frames: [...whole.frames.slice(0, -2), { hold: rest.promise }, ...whole.frames.slice(-2)],
        };
      };
      const held = at.line?.holdAt("iterations", side(random));
      const turn = world.turn(play, { at });
      const reached = turn.seen("there").then(async () => {
        rest.resolve();
        await (held ?? pause(random() * 12));
      });
      return { turn, reached, dies: false, release: rest.resolve };
    },
  },
];

function side(random: () => number): "asks" | "answers" {
  return random() < 0.5 ? "asks" : "answers";
}

function noting(step: number, args: object) {
  return step === 0 ? chatTurn({ calls: [{ name: "note", arguments: args }] }) : chatTurn({ text: AFTER });
}

/** Resolves when the tool has had its effect. */
async function hadEffect(world: World, turn: FollowedTurn): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    if (turn.runId && world.effects().some((key) => key.startsWith(`${turn.runId}:`))) return;
    await pause(10);
  }
  throw new Error(`${turn.text} never ran its tool`);
}
