import assert from "node:assert/strict";
import { callsOf } from "../../src/protocol/reduce.ts";
import { chatTurn } from "../../src/sim/turns.ts";
import { missingFormer } from "../former.ts";
import type { Instance } from "../instance.ts";
import { instanceOf, type Scenario, until } from "../scenario.ts";
import type { FollowedTurn } from "../turn.ts";
import type { World } from "../world.ts";

const TEXT = Array.from({ length: 40 }, (_, index) => `word-${index}`).join(" ");
const AFTER = "After that.";

/** The former release left something behind, or still works beside this one. */
export const UPGRADE_SCENARIOS: readonly Scenario[] = [
  {
    name: "upgrade-embedded",
    engine: "SQLite",
    world: { former: true, env: { TACKLE_STREAM_IDLE_MS: "600000" } },
    missing: missingFormer,
    async play(world) {
      const instance = instanceOf(world, 0);
      const left = await leaveBehind(world, instance);
      await instance.kill();
      instance.upgrade();
      await instance.start();
      await finishAll(instance, left, world);
    },
  },
  {
    name: "rolling-upgrade",
    engine: "PostgreSQL",
    world: { former: true, env: { TACKLE_STREAM_IDLE_MS: "600000" } },
    missing: missingFormer,
    async play(world) {
      const [one, two] = [instanceOf(world, 0), instanceOf(world, 1)];
      const left = await leaveBehind(world, one);
      const earlier = world.turn(() => chatTurn({ text: TEXT }), { at: two });
      await earlier.ended;
      // The new release changes the database while the former one works on it.
      const three = await world.startInstance("three");
      world.instances.push(three);
      try {
        await besideEachOther(world, two, three);
        two.upgrade();
        await two.stop();
        await two.start();
        await one.kill();
        one.upgrade();
        await one.start();
        await finishAll(two, left, world);
      } finally {
        world.instances.splice(world.instances.indexOf(three), 1);
        await three.kill();
      }
    },
  },
];

interface Left {
  half: FollowedTurn;
  waiting: FollowedTurn;
  working: FollowedTurn;
  open(): void;
}

/** Begins a turn in the middle of its answer, one that waits for an approval, and one whose tool runs. */
async function leaveBehind(world: World, at: Instance): Promise<Left> {
  const never = Promise.withResolvers<void>();
  const { frames, ...rest } = chatTurn({ text: TEXT, chunkSize: "word" });
  const half = world.turn(
    (_, attempt, said) =>
      attempt === 0 && said === undefined
        ? { ...rest, frames: [...frames.slice(0, 20), { hold: never.promise }] }
        : chatTurn({ text: TEXT.slice(said?.length ?? 0) }),
    { at },
  );
  const calling = (name: string, args: object) => (step: number) =>
    step === 0 ? chatTurn({ calls: [{ name, arguments: args }] }) : chatTurn({ text: AFTER });
  const gate = world.gate();
  const waiting = world.turn(calling("change", {}), { at });
  const working = world.turn(calling("note", { gate: gate.path }), { at });
  await Promise.all([
    half.seen("word-15"),
    waiting.seen("tool_approval_required"),
    working.seen("tool_executing"),
  ]);
  await until("the tool runs", () => world.effects().some((key) => key.startsWith(`${working.runId}:`)));
  return { half, waiting, working, open: gate.open };
}

/** Lets the turns that were left behind end on this release, and checks how. */
async function finishAll(at: Instance, { half, waiting, working, open }: Left, world: World): Promise<void> {
  open();
  const [call] = callsOf(waiting.state());
  const decided = await fetch(`${at.url}/runs/${waiting.runId}/approvals/${call?.toolCallId}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...world.headers },
    body: JSON.stringify({ decision: "once" }),
  });
  assert.equal(decided.status, 200, await decided.text());
  await Promise.all([half.ended, waiting.ended, working.ended]);
  assert.equal(half.state().text, TEXT);
  assert.equal(half.state().finishReason, "stop");
  assert.equal(waiting.state().text, AFTER);
  assert.equal(callsOf(waiting.state())[0]?.status, "succeeded");
  assert.equal(callsOf(working.state())[0]?.error?.code, "TOOL_OUTCOME_UNKNOWN");
  assert.equal(working.state().text, AFTER);
}

/** Each release answers, shows the other's runs byte for byte, and ends those that the other began. */
async function besideEachOther(world: World, former: Instance, present: Instance): Promise<void> {
  const turns = [former, present].map((at) =>
    world.turn(() => chatTurn({ text: TEXT, chunkSize: "word" }), { at }),
  );
  await Promise.all(turns.map(({ ended }) => ended));
  for (const turn of turns) {
    assert.equal(turn.state().text, TEXT);
    const seen = await Promise.all(
      [former, present].map(async ({ url }) =>
        (await fetch(`${url}/runs/${turn.runId}/events`, { headers: world.headers })).text(),
      ),
    );
    assert.equal(seen[0], seen[1]);
  }
  const never = Promise.withResolvers<void>();
  const { frames, ...rest } = chatTurn({ text: TEXT, chunkSize: "word" });
  const half = { ...rest, frames: [...frames.slice(0, 10), { hold: never.promise }] };
  const handed = world.turn(
    (_, attempt, said) => (attempt === 0 && said === undefined ? half : chatTurn({ text: AFTER })),
    {
      at: present,
    },
  );
  await handed.seen("word-7");
  await present.kill();
  await handed.ended;
  // The former release does not continue half an answer, but it keeps it.
  assert.equal(handed.state().error?.code, "INTERRUPTED");
  await present.start();
}
