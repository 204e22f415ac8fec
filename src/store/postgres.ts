import { randomUUID } from "node:crypto";
import type { EventJournal } from "../protocol/event-journal.ts";
import { Failure } from "../protocol/failure.ts";
import type { OpenRun } from "../protocol/run-records.ts";
import type { NewSession } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";
import { createKeeper, followingJournal } from "./journal-keeper.ts";
import { accountEventsOf } from "./postgres/account-events.ts";
import { approvalsOf } from "./postgres/approvals.ts";
import { artifactsOf } from "./postgres/artifacts.ts";
import { auditOf } from "./postgres/audit.ts";
import { breakersOf } from "./postgres/breakers.ts";
import { changesOf } from "./postgres/changes.ts";
import { clearEventsOn } from "./postgres/clearing.ts";
import { contextsOf } from "./postgres/contexts.ts";
import { conversationsOf } from "./postgres/conversations.ts";
import { type Database, openDatabase } from "./postgres/database.ts";
import { erasingOf } from "./postgres/erasing.ts";
import { eventsOf } from "./postgres/events.ts";
import { engineFailure } from "./postgres/failures.ts";
import { feedbackOf } from "./postgres/feedback.ts";
import { filesOf } from "./postgres/files.ts";
import { importsOf } from "./postgres/imports.ts";
import { inputsOf } from "./postgres/inputs.ts";
import { noteJournal } from "./postgres/journal-in-use.ts";
import { journalName } from "./postgres/journal-name.ts";
import { keepEventsOn } from "./postgres/kept-events.ts";
import { ledgerOf } from "./postgres/ledger.ts";
import { limitsOf } from "./postgres/limits.ts";
import { Listener } from "./postgres/listener.ts";
import { mcpTasksOf } from "./postgres/mcp-tasks.ts";
import { messagesOf } from "./postgres/messages.ts";
import { channelOf } from "./postgres/notifications.ts";
import { Notifier } from "./postgres/notifier.ts";
import { openRunOn } from "./postgres/open.ts";
import { addDays } from "./postgres/partitions.ts";
import { SCHEMA, STATEMENT_TIMEOUT_MS } from "./postgres/pool.ts";
import { projectsOf } from "./postgres/projects.ts";
import { resultsOf } from "./postgres/results.ts";
import { runsOf } from "./postgres/runs.ts";
import { migrate } from "./postgres/schema.ts";
import { searchOf } from "./postgres/search.ts";
import { sessionsOf } from "./postgres/sessions.ts";
import { settingsOf } from "./postgres/settings.ts";
import { sharesOf } from "./postgres/shares.ts";
import { statisticsOf } from "./postgres/statistics.ts";
import { tidyingOf } from "./postgres/tidying.ts";
import { usersOf } from "./postgres/users.ts";
import { createWatchers, type UnwatchedStore, type Watchers, withWatchers } from "./watchers.ts";
import { withEventJournal } from "./with-event-journal.ts";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, directly or through a session pooler. */
  url: string;
  /** The schema that belongs to Tackle. It touches no other. */
  schema?: string;
  /** The most connections of this process, besides the one that listens. */
  poolSize?: number;
  statementTimeoutMs?: number;
  /** Opens the journal beside the database, if there is one, under the name of this installation. */
  openJournal?(name: string): Promise<EventJournal>;
  /** How often the journal is searched for ended runs whose owner died before it moved them. */
  sweepMs?: number;
}

/** Opens the store that instances share, and creates or upgrades its schema as needed. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, schema = SCHEMA, poolSize = 10, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const database = openDatabase({ url, schema, poolSize, statementTimeoutMs, origin: randomUUID() });
  try {
    await database.withClient((client) => migrate(client, schema));
    await addDays(database);
  } catch (error) {
    await database.close();
    throw openingFailure(error);
  }
  const watchers = createWatchers((runId) => notifier.watched(runId));
  const notifier = new Notifier(database, watchers);
  const listener = new Listener({
    url,
    channels: [schema, channelOf(database.origin)],
    onNotification: (...received) => notifier.onNotification(...received),
    onGap: () => watchers.wakeAll("control"),
    onFormer(isThere) {
      database.formerIsThere = isThere;
    },
  });
  await listener.ready;
  const engine = { database, watchers, notifier, listener };
  try {
    const journal = await options.openJournal?.(await journalName(database));
    await noteJournal(database, journal?.id).catch(async (error: unknown) => {
      await journal?.close();
      throw error;
    });
    return journal
      ? journaledStoreOn(engine, journal, options)
      : withWatchers(postgresStoreOn(engine), watchers);
  } catch (error) {
    await closeEngine(engine);
    throw error;
  }
}

/** The store whose events are partly in a journal beside the database. */
function journaledStoreOn(
  engine: Engine,
  journal: EventJournal,
  { sweepMs }: Pick<PostgresOptions, "sweepMs">,
): Store {
  const database = postgresStoreOn(engine);
  const joined = withEventJournal(database, journal, (runId) => keeper.ended(runId));
  const keeper = createKeeper({
    journal,
    getRun: database.getRun,
    readEvents: joined.readEvents,
    keepEvents: (runId, events) => keepEventsOn(engine.database, runId, events),
    sweepMs,
  });
  const store = {
    ...database,
    ...joined,
    checkJournal: () => journal.check(),
    stats: async () => ({ ...(await database.stats()), ...(await journal.stats().catch(() => ({}))) }),
    async close() {
      await keeper.close();
      await journal.close();
      await database.close();
    },
  };
  return followingJournal(withWatchers(store, engine.watchers), journal);
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

interface Engine {
  database: Database;
  watchers: Watchers;
  notifier: Notifier;
  listener: Listener;
}

async function closeEngine({ notifier, listener, database }: Engine): Promise<void> {
  notifier.close();
  await listener.close();
  await database.close();
}

function postgresStoreOn(engine: Engine): UnwatchedStore {
  const { database, notifier } = engine;
  const sessions = sessionsOf(database);
  const messages = messagesOf(database);
  const { add } = importsOf(database);
  const { stopIndexing, ...search } = searchOf(database);
  const { journalOpening, ...events } = eventsOf(database, notifier);
  return {
    ...sessions,
    ...search,
    ...messages.methods,
    ...runsOf(database),
    ...events,
    ...artifactsOf(database),
    ...accountEventsOf(database, notifier),
    ...runDetailsOf(database),
    ...contextsOf(database),
    ...filesOf(database),
    ...limitsOf(database),
    ...breakersOf(database),
    ...ledgerOf(database),
    ...auditOf(database),
    ...settingsOf(database),
    ...usersOf(database),
    ...erasingOf(database, messages.forget),
    async importSession(session: NewSession) {
      await add(session);
      const added = await sessions.getSession(session.id);
      if (!added) throw new Error(`session ${session.id} is missing after it was written`);
      return added;
    },
    async openRun(run: OpenRun) {
      const journalOpened = journalOpening();
      const opened = await openRunOn(database, run);
      if (opened.outcome === "opened") journalOpened(opened.run, run);
      return opened;
    },
    ...conversationsOf(database),
    ...mcpTasksOf(database),
    ...projectsOf(database),
    ...sharesOf(database),
    ...feedbackOf(database),
    clearEvents: (olderThanMs: number, limit: number) => clearEventsOn(database, olderThanMs, limit),
    ...tidyingOf(database),
    stats: () => statisticsOf(database),
    async close() {
      stopIndexing();
      await closeEngine(engine);
    },
  };
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
