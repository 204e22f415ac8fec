import assert from "node:assert/strict";
import type { Faults, Turn } from "../../src/sim/turn.ts";
import { chatTurn, errorTurn } from "../../src/sim/turns.ts";
import type { Scenario } from "../scenario.ts";

const TEXT = Array.from({ length: 60 }, (_, index) => `word-${index}`).join(" ");

function answering(faults: Faults): Turn {
  return { ...chatTurn({ text: TEXT, chunkSize: "word" }), faults };
}

/** Faults of a model vendor. */
export const UPSTREAM_SCENARIOS: readonly Scenario[] = [
  refusing("upstream-429", errorTurn(429, { retryAfter: 0 })),
  refusing("upstream-5xx", errorTurn(503, { retryAfter: 0 })),
  {
    name: "upstream-slow",
    engine: "SQLite",
    async play(world) {
      const turn = world.turn(() => answering({ slow: { bytes: 97, everyMs: 4 } }));
      await turn.ended;
      assert.equal(turn.state().text, TEXT);
    },
  },
  {
    name: "upstream-cut",
    engine: "SQLite",
    async play(world) {
      const early = world.turn((_, attempt) => answering(attempt === 0 ? { beforeHeaders: "reset" } : {}));
      const once = world.turn((_, attempt, said = "") =>
        attempt === 0 ? answering({ cutAfterFrames: 20 }) : chatTurn({ text: TEXT.slice(said.length) }),
      );
      const late = world.turn(() => answering({ cutAfterFrames: 20 }));
      await Promise.all([early.ended, once.ended, late.ended]);
      assert.equal(early.state().text, TEXT);
      assert.equal(once.state().text, TEXT);
      assert.equal(once.state().finishReason, "stop");
      assert.ok(once.events().some(({ type }) => type === "run_continued"));
      const { text, finishReason, error } = late.state();
      assert.equal(finishReason, "error");
      assert.equal(error?.retryable, true);
      assert.ok(text.startsWith("word-0 ") && TEXT.startsWith(text));
    },
  },
  {
    name: "upstream-silent",
    engine: "SQLite",
    world: { env: { TACKLE_STREAM_IDLE_MS: "1500" } },
    async play(world) {
      const turn = world.turn(() => answering({ silentAfterFrames: 20 }));
      await turn.ended;
      const { text, error } = turn.state();
      assert.equal(error?.code, "UPSTREAM_TIMEOUT");
      assert.ok(text.startsWith("word-0 ") && TEXT.startsWith(text));
    },
  },
  {
    name: "upstream-garbage",
    engine: "SQLite",
    async play(world) {
      const between = world.turn(() => answering({ garbageAfterFrames: 20 }));
      const only = world.turn(() => ({ frames: ["<html>\u0000\uFFFD not what was asked for"] }));
      await Promise.all([between.ended, only.ended]);
      // Only the frame after the garbage is unreadable.
      const words = between.state().text.split(" ");
      assert.deepEqual(
        words,
        TEXT.split(" ").filter((word) => words.includes(word)),
      );
      assert.ok(words.length >= 59);
      const { finishReason, error } = only.state();
      assert.equal(finishReason, "error");
      assert.match(error?.error ?? "", /web page/);
    },
  },
  {
    name: "upstream-endless",
    engine: "SQLite",
    async play(world) {
      const { frames } = chatTurn({ text: "again and again ".repeat(200), chunkSize: 800 });
      // Leaves out the frames that would end the answer.
      const turn = world.turn(() => ({ frames: frames.slice(1, -3), faults: { endless: true } }));
      await turn.ended;
      const { finishReason, warnings } = turn.state();
      assert.equal(finishReason, "length");
      assert.ok(warnings.some(({ code }) => code === "OUTPUT_LIMIT"));
      await Promise.all(world.upstream.requests.map(({ ended }) => ended));
    },
  },
];

/** Checks that the answer arrives after a short refusal, and that a lasting refusal is reported as retryable. */
function refusing(name: string, refusal: Turn): Scenario {
  return {
    name,
    engine: "SQLite",
    async play(world) {
      const passing = world.turn((_, attempt) => (attempt < 2 ? refusal : answering({})));
      await passing.ended;
      assert.equal(passing.state().text, TEXT);
      assert.equal(passing.events().filter(({ type }) => type === "retry_status").length, 2);
      const lasting = world.turn(() => refusal);
      await lasting.ended;
      const { finishReason, error } = lasting.state();
      assert.equal(finishReason, "error");
      assert.equal(error?.retryable, true);
    },
  };
}
