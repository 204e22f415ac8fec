import { DatabaseSync } from "node:sqlite";
import type { RunState } from "../src/protocol/reduce.ts";
import { readStored } from "../src/protocol/stored.ts";
import { storedRunState } from "../src/protocol/stored-run.ts";
import { unfoldEvents } from "../src/store/folding.ts";
import { type Transcript, transcriptOf } from "../src/store/packing.ts";
import { eventsOfPage } from "../src/store/sqlite/pages.ts";
import type { Cluster } from "../src/store/testing/postgres.ts";

const TRANSCRIPT = "m.text, CAST(m.parts AS TEXT) AS parts, CAST(m.state AS TEXT) AS state, m.format";

/** A run as stored in the database, with its events and answers. */
export interface StoredRun {
  id: string;
  /** The person's message. */
  text: string;
  status: string;
  epoch: number;
  events: { seq: number; json: string }[];
  /** The states of its assistant messages. A finished run has exactly one. */
  answers: RunState[];
}

/** Reads the database directly, without Tackle's own code paths. */
export interface Inspection {
  /** Returns the runs that answer messages with one of these texts. */
  runs(texts: readonly string[]): Promise<StoredRun[]>;
  /** Returns how many of those runs have not ended. */
  unfinished(texts: readonly string[]): Promise<number>;
  /** Deletes the stored breakers, so that the next scenario starts with closed ones. */
  forgetBreakers(): Promise<void>;
}

/** Returns all events that are in a journal beside the database, by run. */
export type ReadJournal = () => Promise<Map<string, { seq: number; json: string }[]>>;

type Rows = (sql: string) => Promise<Record<string, unknown>[]>;

/** Inspects the database file of an instance, which may be running. */
export function inspectSqlite(path: string): Inspection {
  return inspectionOf(async (sql) => {
    const connection = new DatabaseSync(path, { timeout: 5_000 });
    try {
      return connection.prepare(sql).all();
    } finally {
      connection.close();
    }
  }, "");
}

/** Inspects a PostgreSQL cluster directly, not through a fault proxy. `journal` reads the events that are beside it. */
export function inspectPostgres(cluster: Cluster, journal?: ReadJournal): Inspection {
  return inspectionOf(
    async (sql) => (await cluster.run(sql)) as Record<string, unknown>[],
    "tackle.",
    journal,
  );
}

function inspectionOf(rows: Rows, schema: string, journal?: ReadJournal): Inspection {
  const asking = (texts: readonly string[]) =>
    `FROM ${schema}runs AS r JOIN ${schema}messages AS m ON m.run_id = r.id AND m.role = 'user' WHERE m.text IN (${list(texts)})`;
  return {
    async runs(texts) {
      if (texts.length === 0) return [];
      const found = await rows(`SELECT r.id, r.status, r.epoch, m.text ${asking(texts)}`);
      const ids = list(found.map(({ id }) => String(id)));
      if (ids === "") return [];
      // Before the database: what moves there meanwhile is then seen twice, not never.
      const journaled = await journal?.();
      const events = await rows(
        `SELECT run_id, seq, json FROM ${schema}run_events WHERE run_id IN (${ids}) ORDER BY run_id, seq`,
      );
      const answers = await rows(
        `SELECT m.run_id, ${TRANSCRIPT} FROM ${schema}messages AS m WHERE m.role = 'assistant' AND m.run_id IN (${ids})`,
      );
      const folded = await rows(
        `SELECT f.run_id, f.bytes, ${TRANSCRIPT} FROM ${schema}run_folded AS f
         JOIN ${schema}messages AS m ON m.role = 'assistant' AND m.run_id = f.run_id WHERE f.run_id IN (${ids})`,
      );
      return found.map(({ id, text, status, epoch }) => ({
        id: String(id),
        text: String(text),
        status: String(status),
        epoch: Number(epoch),
        events:
          foldedEvents(folded.find((run) => run.run_id === id)) ??
          joined(
            events
              .filter((event) => event.run_id === id)
              .flatMap(({ seq, json }) => eventsOfPage({ seq: Number(seq), json: String(json) })),
            journaled?.get(String(id)) ?? [],
          ),
        answers: answers
          .filter((answer) => answer.run_id === id)
          .map((row) => asState(transcriptOf(toTranscript(row)))),
      }));
    },
    async unfinished(texts) {
      if (texts.length === 0) return 0;
      const active = `${asking(texts)} AND r.status IN ('running', 'waiting')`;
      return Number((await rows(`SELECT count(*) AS count ${active}`))[0]?.count);
    },
    async forgetBreakers() {
      await rows(`DELETE FROM ${schema}breakers`);
    },
  };
}

function foldedEvents(row: Record<string, unknown> | undefined): StoredRun["events"] | undefined {
  return row?.bytes instanceof Uint8Array
    ? unfoldEvents(row.bytes, transcriptOf(toTranscript(row)))
    : undefined;
}

/** Adds the journal's events. One that is in both places must be the same there, or it stays twice and is reported. */
function joined(stored: StoredRun["events"], journaled: StoredRun["events"]): StoredRun["events"] {
  const lines = new Set(stored.map(({ seq, json }) => `${seq} ${json}`));
  const others = journaled.filter(({ seq, json }) => !lines.has(`${seq} ${json}`));
  return [...stored, ...others].sort((a, b) => a.seq - b.seq);
}

function toTranscript({ text, parts, state, format }: Record<string, unknown>): Transcript {
  return { text: String(text), parts: String(parts), state: String(state), format: Number(format) };
}

function asState(json: string): RunState {
  return readStored(storedRunState, JSON.parse(json), "An answer");
}

/** Quotes values for SQL. Accepts only names that this suite generates. */
function list(values: readonly string[]): string {
  const strange = values.find((value) => !/^[\w-]+$/.test(value));
  if (strange !== undefined) throw new Error(`${strange} is not safe in a SQL statement`);
  return values.map((value) => `'${value}'`).join(", ");
}
