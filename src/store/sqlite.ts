import { join } from "node:path";
import { RELEASED_RUNS, type Store, type StoreStatistics } from "../protocol/store.ts";
import { accountEventsOf } from "./sqlite/account-events.ts";
import { approvalsOf } from "./sqlite/approvals.ts";
import { artifactsOf } from "./sqlite/artifacts.ts";
import { auditOf } from "./sqlite/audit.ts";
import { breakersOf } from "./sqlite/breakers.ts";
import { changesOf } from "./sqlite/changes.ts";
import { clearingOf } from "./sqlite/clearing.ts";
import { contextsOf } from "./sqlite/contexts.ts";
import { conversationsOf } from "./sqlite/conversations.ts";
import type { Database } from "./sqlite/database.ts";
import { erasingOf } from "./sqlite/erasing.ts";
import { eventsOf } from "./sqlite/events.ts";
import { feedbackOf } from "./sqlite/feedback.ts";
import { filesOf } from "./sqlite/files.ts";
import { foldingOf } from "./sqlite/folding.ts";
import { importsOf } from "./sqlite/imports.ts";
import { inputsOf } from "./sqlite/inputs.ts";
import { ledgerOf } from "./sqlite/ledger.ts";
import { limitsOf } from "./sqlite/limits.ts";
import { mcpTasksOf } from "./sqlite/mcp-tasks.ts";
import { messagesOf, transcriptOf } from "./sqlite/messages.ts";
import { openDatabase } from "./sqlite/open-database.ts";
import { projectsOf } from "./sqlite/projects.ts";
import { resultsOf } from "./sqlite/results.ts";
import { runsOf } from "./sqlite/runs.ts";
import { searchOf } from "./sqlite/search.ts";
import { sessionsOf } from "./sqlite/sessions.ts";
import { settingsOf } from "./sqlite/settings.ts";
import { sharesOf } from "./sqlite/shares.ts";
import { usersOf } from "./sqlite/users.ts";
import { watchOtherProcesses } from "./sqlite/watch-processes.ts";
import { createWatchers, withWatchers } from "./watchers.ts";

/** The database file, or the data directory that holds it. Tests replace the clock with `now`. */
export type SqliteOptions = ({ path: string } | { dataDir: string }) & { now?: () => number };

/** Opens the embedded store, and creates the database if there is none. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const path = "path" in options ? options.path : join(options.dataDir, "tackle.db");
  return sqliteStoreOn(openDatabase(path, options.now));
}

/** Creates the store on an open database. */
export function sqliteStoreOn(database: Database): Store {
  const sessions = sessionsOf(database);
  const messages = messagesOf(database);
  const artifacts = artifactsOf(database);
  const transcript = transcriptOf(database, { sessions, messages, artifacts });
  const { opened, flushPages, commit, finishRun, ...events } = eventsOf(database, transcript);
  const { openRun, ...runs } = runsOf(database, { sessions, messages, opened });
  const search = searchOf(database);
  const watchers = createWatchers();
  const stopWatching = watchOtherProcesses(database, (signal) => watchers.wakeAll(signal, RELEASED_RUNS));
  const statistics = database.prepare<StoreStatistics>(
    `SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM messages) AS messages,
       (SELECT count(*) FROM runs) AS runs,
       (SELECT count(*) FROM runs WHERE status IN ('running', 'waiting')) AS activeRuns,
       (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size) AS bytes`,
  );

  const methods = withDurability(database, {
    ...sessions.methods,
    ...search.methods,
    ...messages.methods,
    ...artifacts.methods,
    ...runs,
    ...events,
    ...accountEventsOf(database),
    ...runDetailsOf(database),
    ...contextsOf(database),
    ...filesOf(database),
    ...limitsOf(database),
    ...ledgerOf(database),
    ...breakersOf(database),
    ...settingsOf(database),
    ...usersOf(database),
    importSession: importsOf(database, sessions, messages).add,
    ...conversationsOf(database),
    ...mcpTasksOf(database),
    ...projectsOf(database),
    ...sharesOf(database),
    ...feedbackOf(database),
    clearEvents: clearingOf(database),
    ...foldingOf(database),
    ...erasingOf(database, flushPages, () => {
      messages.forget();
      return search.scrub();
    }),
    ...auditOf(database),
    now: () => database.now(),
    stats() {
      const row = statistics.get();
      if (!row) throw new Error("counting rows returned nothing");
      return { ...row };
    },
  });
  const close = async () => {
    stopWatching();
    await search.close();
    await database.close();
  };
  return withWatchers({ isEmbedded: true, ...methods, openRun, commit, finishRun, close }, watchers);
}

type Methods = Record<string, (...values: never[]) => unknown>;
type Asynchronous<Of extends Methods> = {
  [Name in keyof Of]: (...values: Parameters<Of[Name]>) => Promise<Awaited<ReturnType<Of[Name]>>>;
};

/** Returns the same methods; what they write durably is on disk before they resolve. */
function withDurability<Of extends Methods>(database: Database, methods: Of): Asynchronous<Of> {
  const wrapped = Object.entries(methods).map(([name, method]) => [
    name,
    (...values: never[]) => database.durably(() => method(...values)),
  ]);
  return Object.fromEntries(wrapped);
}

/** What belongs to a run besides its events. */
function runDetailsOf(database: Database) {
  return {
    ...approvalsOf(database),
    ...inputsOf(database),
    ...resultsOf(database),
    ...changesOf(database),
  };
}
