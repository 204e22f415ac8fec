import { join } from "node:path";
import { RELEASED_RUNS, type Store } from "../protocol/store.ts";
import { approvalsOf } from "./sqlite/approvals.ts";
import { artifactsOf } from "./sqlite/artifacts.ts";
import { breakersOf } from "./sqlite/breakers.ts";
import { changesOf } from "./sqlite/changes.ts";
import { clearingOf } from "./sqlite/clearing.ts";
import { type Database, openDatabase } from "./sqlite/database.ts";
import { eventsOf } from "./sqlite/events.ts";
import { filesOf } from "./sqlite/files.ts";
import { importsOf } from "./sqlite/imports.ts";
import { ledgerOf } from "./sqlite/ledger.ts";
import { limitsOf } from "./sqlite/limits.ts";
import { messagesOf } from "./sqlite/messages.ts";
import { runsOf } from "./sqlite/runs.ts";
import { sessionsOf } from "./sqlite/sessions.ts";
import { settingsOf } from "./sqlite/settings.ts";
import { transcriptOf } from "./sqlite/transcript.ts";
import { usersOf } from "./sqlite/users.ts";
import { createWatchers } from "./watchers.ts";

/** Where the database is: a file, or the data directory that holds it; `now` replaces the clock in tests. */
export type SqliteOptions = ({ path: string } | { dataDir: string }) & { now?: () => number };

/** How soon what another process has written beside this one is seen. */
const LOOK_MS = 250;

/** Opens the embedded store, creating the database where there is none. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const path = "path" in options ? options.path : join(options.dataDir, "tackle.db");
  return sqliteStoreOn(openDatabase(path, options.now));
}

/** The store over a database that is already open. */
export function sqliteStoreOn(database: Database): Store {
  const sessions = sessionsOf(database);
  const messages = messagesOf(database);
  const imports = importsOf(database, sessions, messages);
  const runs = runsOf(database, sessions, messages);
  const artifacts = artifactsOf(database);
  const events = eventsOf(database, transcriptOf(database, { sessions, messages, artifacts }));
  const approvals = approvalsOf(database);
  const files = filesOf(database);
  const changes = changesOf(database);
  const limits = limitsOf(database);
  const ledger = ledgerOf(database);
  const breakers = breakersOf(database);
  const settings = settingsOf(database);
  const users = usersOf(database);
  const clearEvents = clearingOf(database);
  const watchers = createWatchers();
  const stopLooking = lookForOthers(database, () => watchers.wakeAll("control", RELEASED_RUNS));
  const statistics = database.prepare<Awaited<ReturnType<Store["stats"]>>>(
    `SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM messages) AS messages,
       (SELECT count(*) FROM runs) AS runs,
       (SELECT count(*) FROM runs WHERE status IN ('running', 'waiting')) AS activeRuns,
       (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size) AS bytes`,
  );

  function wakeAll(runIds: readonly string[]): void {
    for (const runId of runIds) watchers.wake(runId, "control");
  }

  return settling(database, {
    createSession: async (session) => sessions.create(session),
    getSession: async (id) => sessions.get(id),
    listSessions: async (userId, options) => sessions.list(userId, options),
    renameSession: async (id, title) => sessions.rename(id, title),
    pinSession: async (id, pinned) => sessions.pin(id, pinned),
    importSession: async (session) => imports.add(session),
    async deleteSession(id) {
      events.file();
      wakeAll(sessions.remove(id));
    },
    listMessages: async (sessionId, options) => messages.list(sessionId, options),
    listAllMessages: async (sessionId) => messages.listAll(sessionId),
    getMessage: async (id) => messages.get(id),
    showMessage: async (sessionId, messageId) => sessions.show(sessionId, messageId),

    async openRun(run) {
      const opened = runs.open(run);
      if (opened.outcome === "opened") events.opened(opened.run);
      return opened;
    },
    getRun: async (id) => runs.get(id),
    async commit(batches, options) {
      const way = database.makeWay();
      if (way && !options.durable) await way;
      const answer = events.commit(batches, options);
      for (const { runId } of batches) watchers.wake(runId, "events");
      return answer;
    },
    async finishRun(finish) {
      events.finish(finish);
      watchers.wake(finish.runId, "events");
    },
    readEvents: async (runId, after, limit) => events.read(runId, after, limit),
    readSteps: async (runId) => events.steps(runId),
    clearEvents: async (olderThanMs, limit) => clearEvents(olderThanMs, limit),
    claimRuns: async (owner, leaseMs, limit) => runs.claim(owner, leaseMs, limit),
    renewLeases: async (owner, leaseMs, runIds) => runs.renew(owner, leaseMs, runIds),
    releaseLeases: async (owner) => runs.release(owner),
    async requestCancel(runId) {
      const requested = runs.requestCancel(runId);
      if (requested) watchers.wake(runId, "control");
      return requested;
    },
    async saveApproval(approval) {
      const saved = approvals.save(approval);
      if (saved) watchers.wake(approval.runId, "control");
      return saved;
    },
    getApproval: async (runId, toolCallId) => approvals.get(runId, toolCallId),
    watch: watchers.watch,

    getArtifact: async (id, version) => artifacts.get(id, version),
    saveArtifact: async (version) => artifacts.save(version),
    listArtifactVersions: async (id) => artifacts.versions(id),

    expectFile: async (id, withinMs) => files.expect(id, withinMs),
    addFile: async (file, quotaBytes) => files.add(file, quotaBytes),
    getFile: async (id) => files.get(id),
    listFiles: async (of, limit) => files.list(of, limit),
    usedFileBytes: async (userId) => files.usedBytes(userId),
    removeFile: async (id) => files.remove(id),
    listFileLeftovers: async (limit) => files.leftovers(limit),
    forgetFileLeftover: async (id) => files.forget(id),

    recordChange: async (change) => changes.record(change),
    listChanges: async (sessionId) => changes.list(sessionId),
    markUndone: async (changeId) => changes.markUndone(changeId),
    keepBytes: async (sessionId, bytes) => changes.keep(sessionId, bytes),
    loadBytes: async (key) => changes.load(key),

    takeLimit: async (subject, name, limit, windowMs) => limits.take(subject, name, limit, windowMs),
    peekLimit: async (subject, name, limit, windowMs) => limits.peek(subject, name, limit, windowMs),
    refundLimit: async (subject, name) => limits.refund(subject, name),

    takeBreaker: async (name, leaseMs) => breakers.take(name, leaseMs),
    reportBreaker: async (name, outcome, token) => breakers.report(name, outcome, token),
    listBreakers: async () => breakers.list(),
    closeBreaker: async (name) => breakers.close(name),

    recordSpending: async (runId, usd) => ledger.recordSpending(runId, usd),
    recordUsage: async (used) => ledger.recordUsage(used),
    spentWithin: async (userId, windowMs) => ledger.spentWithin(userId, windowMs),
    spentByKey: async (keyId, windowMs) => ledger.spentByKey(keyId, windowMs),
    readUsage: async (question) => ledger.readUsage(question),
    recordToolUses: async (uses) => ledger.recordToolUses(uses),
    readToolUses: async (question) => ledger.readToolUses(question),
    recordErrors: async (errors) => ledger.recordErrors(errors),
    listErrors: async (limit) => ledger.listErrors(limit),

    getSettings: async (userId) => settings.all(userId),
    putSetting: async (userId, name, value) => settings.put(userId, name, value),

    activeRuns: async (userId) => users.activeRuns(userId),
    listActiveRuns: async (limit) => runs.listActive(limit),
    adoptUser: async (fromUserId, toUserId) => users.adopt(fromUserId, toUserId),
    async deleteUser(userId) {
      events.file();
      wakeAll(users.remove(userId));
    },

    async stats() {
      const row = statistics.get();
      if (!row) throw new Error("counting rows answered nothing");
      return { ...row };
    },
    async close() {
      stopLooking();
      await database.close();
    },
  });
}

/** Calls back when another process has changed something; answers how to stop. */
function lookForOthers(database: Database, changed: () => void): () => void {
  const version = database.prepare<{ data_version: number }>("PRAGMA data_version");
  let last = version.get()?.data_version;
  const timer = setInterval(() => {
    const now = version.get()?.data_version;
    if (now === last) return;
    last = now;
    changed();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The same store; whatever it writes durably is on disk before it answers. */
function settling(database: Database, store: Store): Store {
  const { watch, close } = store;
  const waiting = Object.entries(store).map(([name, method]) => [
    name,
    (...values: unknown[]) => database.settled(() => Reflect.apply(method, store, values)),
  ]);
  return { ...(Object.fromEntries(waiting) as Store), watch, close };
}
