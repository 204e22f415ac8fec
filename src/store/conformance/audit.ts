import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { linkWith, verifyChain } from "../../observe/audit/chain.ts";
import type { StoredAuditEntry } from "../../protocol/audit.ts";
import type { Store } from "../../protocol/store.ts";
import type { StoreHarness } from "./harness.ts";

const writer = fileURLToPath(new URL("./audit-writer.ts", import.meta.url));
const link = linkWith(Buffer.from("key"));

const verify = (store: Store, pinned?: string) => verifyChain(store, link, pinned);

async function addEntries(store: Store, many: number): Promise<StoredAuditEntry[]> {
  for (let number = 1; number <= many; number++) {
    const subject = JSON.stringify({ tool: "filesystem", number });
    await store.appendAudit([{ actor: "ada", action: "call.refused", subject }], link);
  }
  return store.readAudit({ after: 0, limit: many });
}

/** Starts a process that adds this many entries, kills it after some, and returns the numbers that it printed. */
async function writeElsewhere(
  { elsewhere }: StoreHarness,
  actor: string,
  many: number,
  killAfter = Number.POSITIVE_INFINITY,
): Promise<number[]> {
  const { module, function: name, argument } = elsewhere;
  const child = spawn(process.execPath, [writer, module, name, argument, actor, String(many)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const printed: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(Number(line));
    if (printed.length === killAfter) child.kill("SIGKILL");
  }
  const [code, signal] = await exited;
  expect(code ?? signal).toBe(killAfter === Number.POSITIVE_INFINITY ? 0 : "SIGKILL");
  return printed;
}

/** The audit log as a chain that shows every change. */
export function auditBehavior(harness: () => StoreHarness): void {
  /** Changes rows past the triggers, as somebody with all rights on the database could. */
  async function tamper(...statements: string[]): Promise<void> {
    const { elsewhere, runSql } = harness();
    const triggers = ["audit_log_stays", "audit_log_is_kept"];
    const on = elsewhere.function.includes("Postgres") ? " ON audit_log" : "";
    for (const trigger of triggers) await runSql(`DROP TRIGGER ${trigger}${on}`);
    for (const statement of statements) await runSql(statement);
  }

  test("entries that come at once form one chain, which survives a restart", async () => {
    const { store } = harness();
    expect(await verify(store)).toEqual({ ok: true, entries: 0, first: 0, head: undefined });
    const rows = Array.from({ length: 40 }, (_, number) => ({
      actor: `user ${number}`,
      action: "auth.signed_in",
      subject: "{}",
    }));
    await Promise.all(rows.map((row) => store.appendAudit([row], link)));
    await store.appendAudit(rows.slice(0, 3), link);
    const reopened = await harness().reopen();
    const entries = await reopened.readAudit({ after: 0, limit: 100 });
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 43 }, (_, at) => at + 1));
    const head = { seq: 43, hash: entries.at(-1)?.hash };
    expect(await verify(reopened)).toEqual({ ok: true, entries: 43, first: 1, head });
  });

  test("entries are found by place, actor, action, session and time", async () => {
    const { store, advance } = harness();
    const at = await store.now();
    const add = (actor: string, action: string, sessionId?: string) =>
      store.appendAudit([{ actor, action, subject: "{}", ...(sessionId && { sessionId }) }], link);
    await add("ada", "auth.signed_in");
    await add("bob", "auth.failed");
    await add("ada", "authority.x", "ses_1");
    advance(1_000);
    await add("ada", "key.created");
    const seqs = async (query: object) =>
      (await store.readAudit({ limit: 10, ...query })).map(({ seq }) => seq);
    expect(await seqs({})).toEqual([4, 3, 2, 1]);
    expect(await seqs({ limit: 2, before: 4 })).toEqual([3, 2]);
    expect(await seqs({ limit: 2, after: 1 })).toEqual([2, 3]);
    expect(await seqs({ actor: "ada" })).toEqual([4, 3, 1]);
    expect(await seqs({ action: "auth" })).toEqual([2, 1]);
    expect(await seqs({ action: "auth.failed", actor: "bob" })).toEqual([2]);
    expect(await seqs({ sessionId: "ses_1" })).toEqual([3]);
    expect(await seqs({ since: at + 500 })).toEqual([4]);
    expect((await store.readAudit({ sessionId: "ses_1", limit: 1 }))[0]).toMatchObject({
      sessionId: "ses_1",
      at,
    });
  });

  test("the database refuses to change or delete an entry", async () => {
    const { store, runSql } = harness();
    await addEntries(store, 3);
    const refused = /append-only/;
    await expect(runSql("UPDATE audit_log SET actor = 'eve' WHERE seq = 2")).rejects.toThrow(refused);
    await expect(runSql("DELETE FROM audit_log WHERE seq = 3")).rejects.toThrow(refused);
    await expect(runSql("DELETE FROM audit_log")).rejects.toThrow(refused);
    expect(await verify(store)).toMatchObject({ ok: true, entries: 3 });
  });

  test.each([
    ["actor", "actor = 'eve'"],
    ["action", "action = 'call.allowed'"],
    ["time", "at = at + 1"],
    ["subject", `subject_json = '{"tool":"filesystem","number":30}'`],
    ["spacing of the subject", `subject_json = '{"tool": "filesystem","number":3}'`],
    ["session", "session_id = 'ses_1'"],
    ["hash", "hash = 'ff'"],
    ["seal", "seal = 'ff'"],
    ["hash of the one before it", "former = 'ff'"],
  ])("a changed %s is found at its entry", async (_, change) => {
    const { store } = harness();
    await addEntries(store, 5);
    await tamper(`UPDATE audit_log SET ${change} WHERE seq = 3`);
    expect(await verify(store)).toMatchObject({ ok: false, seq: 3 });
  });

  test("a removed, an inserted and two swapped entries are found", async () => {
    const { store, runSql } = harness();
    await addEntries(store, 9);
    await tamper("UPDATE audit_log SET seq = -1 WHERE seq = 4");
    await runSql("UPDATE audit_log SET seq = 4 WHERE seq = 7");
    await runSql("UPDATE audit_log SET seq = 7 WHERE seq = -1");
    expect(await verify(store)).toMatchObject({ ok: false, seq: 4 });
    await runSql("UPDATE audit_log SET seq = -1 WHERE seq = 4");
    await runSql("UPDATE audit_log SET seq = 4 WHERE seq = 7");
    await runSql("UPDATE audit_log SET seq = 7 WHERE seq = -1");
    expect(await verify(store)).toMatchObject({ ok: true });
    await runSql(
      "INSERT INTO audit_log SELECT 10, at, 'eve', action, session_id, subject_json, hash, 'ff', 'ff' FROM audit_log WHERE seq = 9",
    );
    expect(await verify(store)).toMatchObject({ ok: false, seq: 10 });
    await runSql("DELETE FROM audit_log WHERE seq = 10");
    await runSql("DELETE FROM audit_log WHERE seq = 6");
    expect(await verify(store)).toMatchObject({ ok: false, seq: 6 });
  });

  test("removed beginnings and ends are found", async () => {
    const { store, runSql } = harness();
    const entries = await addEntries(store, 9);
    const pinned = entries.at(-1)?.hash;
    expect(await verify(store, pinned)).toMatchObject({ ok: true });
    await tamper("DELETE FROM audit_log WHERE seq > 7");
    expect(await verify(store)).toMatchObject({ ok: false, seq: 8, reason: expect.stringContaining("8") });
    // With the head moved back as well, only the hash that was kept elsewhere tells.
    await runSql(`UPDATE audit_head SET seq = 7, hash = '${entries[6]?.hash}'`);
    expect(await verify(store)).toMatchObject({ ok: true, entries: 7 });
    expect(await verify(store, pinned)).toMatchObject({ ok: false });
    await runSql("DELETE FROM audit_log WHERE seq < 3");
    expect(await verify(store)).toMatchObject({ ok: false, seq: 2 });
    await runSql("DELETE FROM audit_log");
    expect(await verify(store)).toMatchObject({ ok: false, seq: 1 });
  });

  test("a chain that was rewritten without the server's secret is found, and what was pinned before a new secret is not", async () => {
    const { store } = harness();
    await addEntries(store, 3);
    const other = linkWith(Buffer.from("another key"));
    expect(await verifyChain(store, other)).toMatchObject({ ok: false, seq: 1 });
    const pinned = (await store.auditHead())?.hash;
    await store.appendAudit([{ actor: "ada", action: "key.created", subject: "{}" }], other);
    expect(await verifyChain(store, other, pinned)).toMatchObject({ ok: true, entries: 4 });
    expect(await verify(store, pinned)).toMatchObject({ ok: false, seq: 4 });
  });

  test("trimming removes the oldest entries, says so, and the rest verifies", async () => {
    const { store, advance, runSql } = harness();
    await addEntries(store, 4);
    advance(10_000);
    const since = (await store.now()) - 5_000;
    await addEntries(store, 2);
    expect(await store.trimAudit(since, link)).toBe(4);
    expect(await verify(store)).toMatchObject({ ok: true, entries: 3, first: 5 });
    const [newest] = await store.readAudit({ limit: 1 });
    expect(newest).toMatchObject({ seq: 7, actor: "system", action: "audit.trimmed" });
    expect(JSON.parse(newest?.subject ?? "")).toMatchObject({ through: 4, entries: 4 });
    expect(await store.trimAudit(since, link)).toBe(0);
    await expect(runSql("DELETE FROM audit_log WHERE seq = 5")).rejects.toThrow(/append-only/);
    advance(10_000);
    await addEntries(store, 1);
    expect(await store.trimAudit((await store.now()) - 5_000, link)).toBe(3);
    expect(await verify(store)).toMatchObject({ ok: true, entries: 2, first: 8 });
    await tamper("DELETE FROM audit_log WHERE seq = 8");
    expect(await verify(store)).toMatchObject({ ok: false, seq: 8 });
  });

  test("two processes add 500 entries each to one chain, while this one reads it", async () => {
    const { store } = harness();
    const writers = Promise.all(["one", "two"].map((actor) => writeElsewhere(harness(), actor, 500)));
    let finished = false;
    const end = () => {
      finished = true;
    };
    writers.then(end, end);
    while (!finished) {
      expect(await verify(store)).toMatchObject({ ok: true });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await writers;
    expect(await verify(store)).toMatchObject({ ok: true, entries: 1_000 });
    for (const actor of ["one", "two"]) {
      const own = await store.readAudit({ actor, after: 0, limit: 1_000 });
      expect(own.map(({ subject }) => JSON.parse(subject).one)).toEqual(own.map((_, at) => at));
    }
  }, 60_000);

  test("after kill -9 the chain is whole and has every entry that was reported as written", async () => {
    const { store } = harness();
    for (const [actor, after] of [
      ["one", 3],
      ["two", 57],
    ] as const) {
      const printed = await writeElsewhere(harness(), actor, 100_000, after);
      // The last write of the dead process may still be on its way to the database.
      await store.appendAudit([{ actor: "ada", action: "key.created", subject: "{}" }], link);
      const written = await store.readAudit({ actor, after: 0, limit: 100_000 });
      const numbers = new Set(written.map(({ subject }) => JSON.parse(subject).one));
      expect(printed.filter((number) => !numbers.has(number))).toEqual([]);
      expect(await verify(store)).toMatchObject({ ok: true });
    }
  });
}
