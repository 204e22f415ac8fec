import assert from "node:assert/strict";
import { chatTurn } from "../../src/sim/turns.ts";
import { ask, bearer, call, setUpTokenOf } from "../../test/support/accounts.ts";
import { startBucket } from "../bucket.ts";
import { PHASES } from "../phases.ts";
import { startFaultProxy } from "../proxy.ts";
import { instanceOf, type Scenario, until, urlOf } from "../scenario.ts";
import type { World } from "../world.ts";

const TEXT = Array.from({ length: 60 }, (_, index) => `word-${index}.`).join(" ");
const HOURS_MS = 2 * 60 * 60_000;
/** Long enough that an instance keeps its runs even on a busy machine. */
const SHIFTED_LEASE_MS = 4_000;
/** The number of searches that `TACKLE_LIMITS` allows in these worlds. */
const LIMIT = 25;

/** Faults in what several instances share. */
export const INSTANCE_SCENARIOS: readonly Scenario[] = [
  {
    name: "one-key-two-instances",
    engine: "PostgreSQL",
    async play(world) {
      const before = world.upstream.requests.length;
      const play = () => ({ ...chatTurn({ text: TEXT, chunkSize: "word" }), gapMs: 5 });
      const first = world.turn(play, { at: instanceOf(world, 0) });
      const all = [1, 0, 1, 0, 1].map((number) =>
        world.turn(play, { at: instanceOf(world, number), sameAs: first }),
      );
      await Promise.all([first, ...all].map(({ ended }) => ended));
      for (const turn of all) assert.deepEqual(turn.frames, first.frames);
      assert.equal(world.upstream.requests.length, before + 1);
    },
  },
  {
    name: "clocks-apart",
    engine: "PostgreSQL",
    async play(world) {
      const [ahead, behind] = await Promise.all([
        startShifted(world, "ahead", HOURS_MS),
        startShifted(world, "behind", -HOURS_MS),
      ]);
      world.instances.push(ahead, behind);
      try {
        // An instance that used its own clock would take over runs, or lose them, long before they end.
        const gapMs = (SHIFTED_LEASE_MS / 60) * 0.6;
        const turns = [ahead, behind].map((at) =>
          world.turn(() => ({ ...chatTurn({ text: TEXT, chunkSize: "word" }), gapMs }), { at }),
        );
        const admitted = await seekAtAll(world, [ahead.url, behind.url, urlOf(world, 0)]);
        assert.equal(admitted, LIMIT);
        await Promise.all(turns.map(({ ended }) => ended));
        for (const turn of turns) assert.equal(turn.state().text, TEXT);
        const runs = await world.inspection.runs(turns.map(({ text }) => text));
        assert.deepEqual(
          runs.map(({ epoch }) => epoch),
          [1, 1],
        );
        const running = PHASES.find(({ name }) => name === "tool running");
        const standing = running?.begin(world, ahead, () => 0);
        await standing?.reached;
        await ahead.kill();
        await standing?.turn.ended;
        standing?.release();
        assert.equal(standing?.turn.state().text, "After that.");
      } finally {
        world.instances.splice(2);
        await Promise.all([ahead.kill(), behind.kill()]);
      }
    },
  },
  {
    name: "limit-while-killed",
    engine: "PostgreSQL",
    async play(world) {
      const victim = instanceOf(world, 1);
      const counting = seekAtAll(world, [urlOf(world, 0), victim.url]);
      await victim.kill();
      const admitted = await counting;
      await victim.start();
      // An admission counts even if its response was lost with the instance, so there may be fewer, but never more.
      assert.ok(admitted <= LIMIT, `${admitted} were admitted`);
    },
  },
  {
    name: "two-first-sign-ups",
    engine: "PostgreSQL",
    async play(world) {
      await world.cluster?.run("DELETE FROM tackle.auth_users");
      const names = ["ada", "bob", "cy", "dee", "eve", "fay"];
      const setupToken = setUpTokenOf(instanceOf(world, 0));
      const made = await Promise.all(
        names.map((name, index) =>
          call(
            { url: urlOf(world, index % 2) },
            "POST",
            "/auth/sign-up",
            {},
            {
              email: `${name}@example.com`,
              password: "correct horse battery",
              name,
              setupToken,
            },
          ),
        ),
      );
      assert.deepEqual(
        made.map(({ status }) => status),
        names.map(() => 201),
      );
      const roles = await Promise.all(
        made.map(async (response) => {
          const { token } = (await response.json()) as { token: string };
          return (await ask<{ role?: string }>({ url: urlOf(world, 0) }, "GET", "/me", bearer(token))).role;
        }),
      );
      assert.equal(roles.filter((role) => role === "admin").length, 1);
    },
  },
  {
    name: "bucket-down",
    engine: "PostgreSQL",
    async play(world) {
      const bucket = await startBucket();
      const line = await startFaultProxy(bucket.url);
      const instance = await world.startInstance("with-bucket", {
        S3_ENDPOINT: line.through(bucket.url),
        S3_BUCKET: "tackle-files",
        S3_ACCESS_KEY_ID: "key",
        S3_SECRET_ACCESS_KEY: "secret",
      });
      world.instances.push(instance);
      const upload = () =>
        fetch(`${instance.url}/files`, { method: "POST", headers: world.headers, body: "kept" });
      try {
        const kept = (await (await upload()).json()) as { url: string };
        line.set({ refuse: true });
        assert.equal((await upload()).status, 502);
        assert.equal((await fetch(`${instance.url}${kept.url}`)).status, 502);
        const turn = world.turn(() => chatTurn({ text: "I need no files." }), { at: instance });
        await turn.ended;
        assert.equal(turn.state().text, "I need no files.");
        line.mend();
        line.set({ hold: "both" });
        const began = performance.now();
        const late = await upload();
        assert.equal(late.status, 504);
        assert.equal(((await late.json()) as { retryable: boolean }).retryable, true);
        assert.ok(performance.now() - began < 10_000, "a bucket that hangs is given up within ten seconds");
        line.mend();
        await until("files are there again", async () => (await upload()).status === 201);
        assert.equal(await (await fetch(`${instance.url}${kept.url}`)).text(), "kept");
      } finally {
        world.instances.splice(2);
        await instance.kill();
        await line.close();
        await bucket.close();
      }
    },
  },
];

function startShifted(world: World, name: string, shiftMs: number) {
  return world.startInstance(name, {
    NODE_OPTIONS: `--import ${new URL("../shifted-clock.mjs", import.meta.url).href}`,
    FAULTS_CLOCK_SHIFT_MS: String(shiftMs),
    TACKLE_LEASE_MS: String(SHIFTED_LEASE_MS),
  });
}

/** Calls a limited tool more often than allowed on all of these instances at once, and returns how many calls were admitted. */
async function seekAtAll(world: World, urls: (string | undefined)[]): Promise<number> {
  const guest = await fetch(`${urlOf(world, 0)}/tools`);
  const headers = bearer(guest.headers.get("x-tackle-guest") ?? "");
  const uses = Array.from({ length: LIMIT * 3 }, async (_, index) => {
    const url = urls[index % urls.length] ?? "";
    const response = await call({ url }, "POST", "/tools/seek", headers, {}).catch(() => undefined);
    return response?.status;
  });
  return (await Promise.all(uses)).filter((status) => status === 200).length;
}
