import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Run } from "../../protocol/run-records.ts";
import type { Store } from "../../protocol/store.ts";
import type { StoreHarness } from "./harness.ts";
import { runInProgress, tryEveryWrite } from "./owner-writes.ts";

const sleeper = fileURLToPath(new URL("./sleeping-writer.ts", import.meta.url));
const WAYS = ["event", "start of a step", "end of a step", "status", "end"];
const all = (outcome: "written" | "fenced") => Object.fromEntries(WAYS.map((way) => [way, outcome]));

/** Everything that a write of its owner could change. */
async function allOf(store: Store, runId: string): Promise<unknown[]> {
  const run = await store.getRun(runId);
  return [
    run,
    await store.readEvents(runId, 0, 1_000),
    await store.readSteps(runId),
    await store.listMessages(run?.sessionId ?? ""),
  ];
}

async function claimed(store: Store, owner: string): Promise<Run> {
  const [run] = await store.claimRuns(owner, 1_000, 1);
  if (!run) throw new Error("the run was not claimed");
  return run;
}

/** Writes of an owner that only its epoch reveals as replaced: the new owner has not written yet. */
export function takeoverBehavior(harness: () => StoreHarness): void {
  // The last case: an owner that claimed its own run again, while its former self still writes.
  test.each(["two", "one"])(
    "an owner that `%s` has replaced can write nothing, even if the position is right",
    async (owner) => {
      const { store, advance } = harness();
      const former = await runInProgress(store);
      advance(1_000);
      const run = await claimed(store, owner);
      const before = await allOf(store, run.id);
      expect(await tryEveryWrite(store, former)).toEqual(all("fenced"));
      expect(await allOf(store, run.id)).toEqual(before);
      expect(await tryEveryWrite(store, run)).toEqual(all("written"));
      expect(await allOf(store, run.id)).not.toEqual(before);
    },
  );

  test("a process that slept while its run was taken over can write nothing when it wakes up", async () => {
    const { store, advance, elsewhere } = harness();
    const child = spawn(
      process.execPath,
      [sleeper, elsewhere.module, elsewhere.function, elsewhere.argument, "run"],
      { stdio: ["pipe", "pipe", "inherit"] },
    );
    try {
      const exited = once(child, "exit");
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      expect((await lines.next()).value).toBe("ready");
      child.kill("SIGSTOP");
      advance(60_000);
      const run = await claimed(store, "two");
      const before = await allOf(store, run.id);
      child.stdin.write("go on\n");
      child.kill("SIGCONT");
      expect(JSON.parse((await lines.next()).value ?? "null")).toEqual(all("fenced"));
      expect(await exited).toEqual([0, null]);
      expect(await allOf(store, run.id)).toEqual(before);
      expect(await tryEveryWrite(store, run)).toEqual(all("written"));
    } finally {
      child.kill("SIGKILL");
    }
  });
}
