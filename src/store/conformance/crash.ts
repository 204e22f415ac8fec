import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createJournal } from "../journal.ts";
import { answerOf, doneEvent, type StoreHarness } from "./harness.ts";

const writer = fileURLToPath(new URL("./crash-writer.ts", import.meta.url));

/** Starts a process that writes a run, kills it after it printed this many events, and returns what it printed. */
async function killedWriter(harness: StoreHarness, runId: string, afterLines: number): Promise<string[]> {
  const { module, function: name, argument } = harness.elsewhere;
  const child = spawn(process.execPath, [writer, module, name, argument, runId], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === afterLines) child.kill("SIGKILL");
  }
  const [, signal] = await exited;
  expect(signal).toBe("SIGKILL");
  return lines;
}

/** What remains after a process is killed. */
export function crashBehavior(harness: () => StoreHarness): void {
  test.each([1, 60, 400])(
    "after kill -9 behind %i events every printed event is stored, and the run can be taken over",
    async (afterLines) => {
      const { store, advance } = harness();
      const printed = await killedWriter(harness(), "run", afterLines);
      // Claimed first, because the last write of the dead process may still be on its way to the database.
      advance(60_000);
      const [run] = await store.claimRuns("two", 1_000, 1);
      if (!run) throw new Error("the run was not claimed");
      const events = await store.readEvents("run", 0, 100_000);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      const stored = new Set(events.map(({ seq, json }) => `${seq} ${json}`));
      expect(printed.length).toBeGreaterThanOrEqual(afterLines);
      expect(printed.filter((line) => !stored.has(line))).toEqual([]);

      const said = events.map(({ json }) => JSON.parse(json));
      const log = createJournal(store).open(run, { events: said, steps: [] });
      log.emit(doneEvent(run));
      await log.finish({ status: "done", message: answerOf(run, [...said, doneEvent(run)]) });
      const text = (await store.listMessages(run.sessionId)).at(-1)?.state?.text ?? "";
      expect(text).toMatch(/^(word \d+ )+$/);
      const words = text.match(/\d+/g)?.map(Number) ?? [];
      expect(words).toEqual(words.map((_, index) => index));
    },
  );
}
