import { expect, test } from "vitest";
import { readState } from "../../protocol/run-events.ts";
import { modelResultOf, toolResultOf } from "../../protocol/stored.ts";
import { doneEvent, endOf, openedRun, type StoreHarness } from "./harness.ts";

const NEWER =
  /was written by a newer version of Tackle \(format 9, this one reads up to [12]\)\. Update Tackle/;
const CALL = { toolCallId: "call", toolName: "get_time" };

/** A database with one row of each kind that has a format, and how to read each of them. */
async function databaseWithEveryFormat({ store }: StoreHarness) {
  const run = await openedRun(store);
  const { id: runId, sessionId } = run;
  const active = await openedRun(store);
  const result = { type: "tool_result", ...CALL, success: true, output: "noon", trust: "trusted" };
  await store.commit(
    [
      {
        runId: active.id,
        epoch: active.epoch,
        firstSeq: 2,
        events: [],
        steps: [
          { key: "tool:call", state: "started", idempotencyKey: "k" },
          { key: "tool:call", state: "finished", result },
        ],
      },
    ],
    { durable: true },
  );
  await store.saveApproval({ runId, toolCallId: "call", decision: "once", argumentsHash: "h" });
  await store.recordChange({ sessionId, ...CALL, summary: "wrote", reversible: true, data: { path: "a" } });
  await store.putSetting("ada", "theme", "dark");
  await store.saveArtifact({
    id: "art",
    sessionId,
    userId: "ada",
    type: "html",
    title: "A page",
    code: "<p>",
    issues: [{ severity: "fixed", message: "A tag was open." }],
  });
  await store.finishRun(endOf(run, 2, [doneEvent(run)]));
  return {
    run,
    readers: {
      messages: () => store.listMessages(sessionId),
      run_steps: () => store.readSteps(active.id),
      approvals: () => store.getApproval(runId, "call"),
      changes: () => store.listChanges(sessionId),
      user_settings: () => store.getSettings("ada"),
      artifact_versions: () => store.getArtifact("art"),
    } satisfies Record<string, () => Promise<unknown>>,
  };
}

/** Rows that another version wrote, or that are damaged. */
export function formatBehavior(harness: () => StoreHarness): void {
  test("every row that has a format is read in the one that this version writes", async () => {
    const { readers } = await databaseWithEveryFormat(harness());
    const [step] = await readers.run_steps();
    expect(step && toolResultOf(step)).toMatchObject({ ...CALL, output: "noon" });
    expect(await readers.messages()).toMatchObject([{ role: "user" }, { role: "assistant", state: {} }]);
    expect(await readers.approvals()).toMatchObject({ decision: "once", argumentsHash: "h" });
    expect(await readers.changes()).toMatchObject([{ summary: "wrote", data: { path: "a" } }]);
    expect(await readers.user_settings()).toEqual({ theme: "dark" });
    expect(await readers.artifact_versions()).toMatchObject({ issues: [{ severity: "fixed" }] });
  });

  test("a row of a newer version is refused with one sentence that says what to do", async () => {
    const { runSql, ...rest } = harness();
    const { readers } = await databaseWithEveryFormat({ runSql, ...rest });
    for (const [table, read] of Object.entries(readers)) {
      await runSql(`UPDATE ${table} SET format = 9`);
      await expect(read()).rejects.toMatchObject({
        code: "CONFLICT",
        publicMessage: expect.stringMatching(NEWER),
      });
      await runSql(`UPDATE ${table} SET format = 1`);
      await expect(read()).resolves.toBeDefined();
    }
  });

  test("a damaged row is refused with its name and the problem", async () => {
    const { runSql, ...rest } = harness();
    const { run, readers } = await databaseWithEveryFormat({ runSql, ...rest });
    const broken = [
      [`UPDATE messages SET parts = '[{"type":"song"}]'`, readers.messages, "parts.0.type"],
      [`UPDATE messages SET role = 'narrator'`, readers.messages, "role"],
      [`UPDATE approvals SET decision = 'maybe'`, readers.approvals, "decision"],
      [`UPDATE artifact_versions SET issues = '{}'`, readers.artifact_versions, "Artifact art"],
    ] as const;
    for (const [sql, read, named] of broken) {
      await runSql(sql);
      const thrown = await read().catch((error: unknown) => error);
      expect(thrown).toMatchObject({ code: "INTERNAL", retryable: false });
      expect(String(thrown)).toContain(named);
      expect(String(thrown)).toContain("cannot be read from the database");
    }
    const step = { key: "model:0", idempotencyKey: "k", state: "finished" as const, startedSeq: 1 };
    expect(() => modelResultOf({ ...step, result: { reason: "bored" } })).toThrow(/Step model:0 .*reason/);
    expect(await harness().store.getRun(run.id)).toMatchObject({ status: "done" });
  });

  test("a row of an older version is read without the fields that came later", async () => {
    const { runSql, ...rest } = harness();
    const { run, readers } = await databaseWithEveryFormat({ runSql, ...rest });
    const old = `{"sessionId":"s","runId":"r","messageId":"m","model":"a/b","title":"T","blocks":[],"text":"","warnings":[],"iterations":1,"toolCalls":0,"addedLater":{"a":1}}`;
    await runSql(
      `UPDATE messages SET state = '${old}', usage = NULL, parent_id = NULL WHERE id = '${run.messageId}'`,
    );
    const message = await harness().store.getMessage(run.messageId);
    expect(message?.state).toEqual(JSON.parse(old));
    expect(message).not.toHaveProperty("usage");
    expect(message).not.toHaveProperty("parentId");
    await expect(readers.messages()).resolves.toBeDefined();
  });

  test("events of a newer version stop the folding of a run, with a clear sentence", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const batch = { runId: run.id, epoch: run.epoch, steps: [] };
    await store.commit([{ ...batch, firstSeq: 2, events: ['{"type":"smell"}'] }], { durable: true });
    await expect(readState(store, run.id)).rejects.toMatchObject({
      publicMessage: `Run ${run.id} was written by a newer version of Tackle: this one does not know the event "smell". Update Tackle.`,
    });
  });
}
