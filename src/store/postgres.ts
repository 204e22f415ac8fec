import { randomUUID } from "node:crypto";
import { Failure } from "../protocol/failure.ts";
import type { Store } from "../protocol/store.ts";
import { approvalsOf } from "./postgres/approvals.ts";
import { artifactsOf } from "./postgres/artifacts.ts";
import { breakersOf } from "./postgres/breakers.ts";
import { changesOf } from "./postgres/changes.ts";
import { clearEventsOn } from "./postgres/clearing.ts";
import { type Database, openDatabase } from "./postgres/database.ts";
import { eventsOf } from "./postgres/events.ts";
import { engineFailure } from "./postgres/failures.ts";
import { filesOf } from "./postgres/files.ts";
import { importsOf } from "./postgres/imports.ts";
import { ledgerOf } from "./postgres/ledger.ts";
import { limitsOf } from "./postgres/limits.ts";
import { Listener } from "./postgres/listener.ts";
import { messagesOf } from "./postgres/messages.ts";
import { Notifier } from "./postgres/notifier.ts";
import { openRunOn } from "./postgres/open.ts";
import { SCHEMA, STATEMENT_TIMEOUT_MS } from "./postgres/pool.ts";
import { runsOf } from "./postgres/runs.ts";
import { migrate } from "./postgres/schema.ts";
import { sessionsOf } from "./postgres/sessions.ts";
import { settingsOf } from "./postgres/settings.ts";
import { statisticsOf } from "./postgres/statistics.ts";
import { usersOf } from "./postgres/users.ts";
import { createWatchers, type Watchers } from "./watchers.ts";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, straight to the server or through a pooler of sessions. */
  url: string;
  /** The one schema that belongs to us; all others are left alone. */
  schema?: string;
  /** How many connections this process has at most, beside the one that listens. */
  poolSize?: number;
  statementTimeoutMs?: number;
}

/** Opens the store that many instances share, creating or upgrading its schema as needed. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, schema = SCHEMA, poolSize = 10, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const database = openDatabase({ url, schema, poolSize, statementTimeoutMs, origin: randomUUID() });
  try {
    await database.withClient((client) => migrate(client, schema));
  } catch (error) {
    await database.close();
    throw openingFailure(error);
  }
  const watchers = createWatchers();
  const notifier = new Notifier(database, watchers);
  const listener = new Listener({
    url,
    channel: schema,
    onNotification: (notification) => notifier.onNotification(notification),
    onGap: () => watchers.wakeAll("control"),
  });
  await listener.ready;
  return postgresStoreOn(database, watchers, notifier, listener);
}

function openingFailure(error: unknown): Error {
  const failure = engineFailure(error);
  if (!(failure instanceof Failure) || failure.code !== "INTERNAL") return failure;
  return new Failure(
    "INTERNAL",
    "The database at DATABASE_URL could not be opened. Check the address, the password and the rights of the user.",
    { cause: error },
  );
}

function postgresStoreOn(
  database: Database,
  watchers: Watchers,
  notifier: Notifier,
  listener: Listener,
): Store {
  const sessions = sessionsOf(database);
  const messages = messagesOf(database);
  const imports = importsOf(database);
  const runs = runsOf(database);
  const events = eventsOf(database, notifier);
  const artifacts = artifactsOf(database);
  const approvals = approvalsOf(database);
  const files = filesOf(database);
  const changes = changesOf(database);
  const limits = limitsOf(database);
  const breakers = breakersOf(database);
  const settings = settingsOf(database);
  const users = usersOf(database);

  function wakeAll(runIds: readonly string[]): void {
    for (const runId of runIds) watchers.wake(runId, "control");
  }

  return {
    createSession: sessions.create,
    getSession: sessions.get,
    listSessions: sessions.list,
    renameSession: sessions.rename,
    pinSession: sessions.pin,
    async importSession(session) {
      await imports.add(session);
      const added = await sessions.get(session.id);
      if (!added) throw new Error(`session ${session.id} is gone right after it was written`);
      return added;
    },
    deleteSession: async (id) => wakeAll(await sessions.remove(id)),
    listMessages: messages.list,
    listAllMessages: messages.listAll,
    getMessage: messages.get,
    showMessage: sessions.show,

    openRun: (run) => openRunOn(database, run),
    getRun: runs.get,
    async commit(batches) {
      const answer = await events.commit(batches);
      let woken: string | undefined;
      for (const { runId } of batches) {
        // What a commit has of one run stands together.
        if (runId !== woken) watchers.wake(runId, "events");
        woken = runId;
      }
      return answer;
    },
    async finishRun(finish) {
      await events.finish(finish);
      watchers.wake(finish.runId, "events");
    },
    readEvents: events.read,
    readSteps: events.steps,
    clearEvents: (olderThanMs, limit) => clearEventsOn(database, olderThanMs, limit),
    async claimRuns(owner, leaseMs, limit) {
      const claimed = await runs.claim(owner, leaseMs, limit);
      for (const run of claimed) watchers.wake(run.id, "events");
      return claimed;
    },
    renewLeases: runs.renew,
    releaseLeases: runs.release,
    async requestCancel(runId) {
      const requested = await runs.requestCancel(runId);
      if (requested) watchers.wake(runId, "control");
      return requested;
    },
    async saveApproval(approval) {
      const saved = await approvals.save(approval);
      if (saved) watchers.wake(approval.runId, "control");
      return saved;
    },
    getApproval: approvals.get,
    watch: watchers.watch,

    getArtifact: artifacts.get,
    saveArtifact: artifacts.save,
    listArtifactVersions: artifacts.versions,

    expectFile: files.expect,
    addFile: files.add,
    getFile: files.get,
    listFiles: files.list,
    usedFileBytes: files.usedBytes,
    removeFile: files.remove,
    listFileLeftovers: files.leftovers,
    forgetFileLeftover: files.forget,

    recordChange: changes.record,
    listChanges: changes.list,
    markUndone: changes.markUndone,
    keepBytes: changes.keep,
    loadBytes: changes.load,

    takeLimit: limits.take,
    peekLimit: limits.peek,
    refundLimit: limits.refund,

    takeBreaker: breakers.take,
    reportBreaker: breakers.report,
    listBreakers: breakers.list,
    closeBreaker: breakers.close,

    ...ledgerOf(database),

    getSettings: settings.all,
    putSetting: settings.put,

    activeRuns: users.activeRuns,
    listActiveRuns: runs.listActive,
    adoptUser: users.adopt,
    deleteUser: async (userId) => wakeAll(await users.remove(userId)),

    stats: () => statisticsOf(database),
    async close() {
      notifier.close();
      await listener.close();
      await database.close();
    },
  };
}
