import assert from "node:assert/strict";
import { chatTurn } from "../../src/sim/turns.ts";
import { startFaultProxy } from "../proxy.ts";
import { type Scenario, until, urlOf } from "../scenario.ts";
import type { World } from "../world.ts";

const TEXT = Array.from({ length: 60 }, (_, index) => `word-${index}.`).join(" ");
const talking = () => ({ ...chatTurn({ text: TEXT, chunkSize: "word" }), gapMs: 10 });

/** Faults between the client and the server. */
export const CLIENT_SCENARIOS: readonly Scenario[] = [
  {
    name: "client-gone",
    engine: "SQLite",
    async play(world) {
      const staying = world.turn(talking);
      const leaving = world.turn(talking, { onDisconnect: "continue" });
      const cancelling = world.turn(talking, { onDisconnect: "cancel" });
      await Promise.all([leaving.seen("word-3."), cancelling.seen("word-3.")]);
      leaving.leave();
      cancelling.leave();
      await staying.ended;
      await until("the runs are over", async () => {
        const runs = await world.inspection.runs([leaving.text, cancelling.text]);
        return runs.length === 2 && runs.every(({ status }) => status !== "running");
      });
      const runs = await world.inspection.runs([leaving.text, cancelling.text]);
      const byText = new Map(runs.map((run) => [run.text, run]));
      assert.equal(byText.get(leaving.text)?.status, "done");
      assert.equal(byText.get(leaving.text)?.answers[0]?.text, TEXT);
      assert.equal(byText.get(cancelling.text)?.status, "cancelled");
    },
  },
  {
    name: "client-cut",
    engine: "SQLite",
    async play(world) {
      await badLine(world, async (url, line) => {
        line.set({ resetAfterBytes: 2_501 });
        const turn = world.turn(talking, { url, always: true });
        await turn.ended;
        assert.equal(turn.state().text, TEXT);
        assert.ok(turn.statuses.length > 2, `${turn.statuses.length} connections`);
      });
    },
  },
  {
    name: "client-slow",
    engine: "SQLite",
    async play(world) {
      const long = "0123456789abcde ".repeat(30_000);
      await badLine(world, async (url, line) => {
        const slow = world.turn(() => chatTurn({ text: long, chunkSize: 4_000 }), {
          url,
          patienceMs: 60_000,
        });
        await slow.seen("session");
        line.set({ hold: "answers" });
        const fast = world.turn(talking);
        await fast.ended;
        assert.equal(slow.isOver, false);
        line.set({ bytesPerSecond: 400_000 });
        await slow.ended;
        assert.equal(slow.state().text, long);
        assert.deepEqual(slow.statuses, [200]);
      });
    },
  },
  {
    name: "client-half-open",
    engine: "SQLite",
    async play(world) {
      await badLine(world, async (url, line) => {
        const turn = world.turn(talking, { url, patienceMs: 700 });
        await turn.seen("word-5.");
        line.set({ hold: "both" });
        await turn.ended;
        assert.equal(turn.state().text, TEXT);
        assert.ok(turn.statuses.length > 1);
      });
    },
  },
];

async function badLine(
  world: World,
  work: (url: string, line: Awaited<ReturnType<typeof startFaultProxy>>) => Promise<void>,
): Promise<void> {
  const to = urlOf(world, 0);
  const line = await startFaultProxy(to);
  try {
    await work(line.through(to), line);
  } finally {
    await line.close();
  }
}
