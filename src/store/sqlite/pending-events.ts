import { randomInt } from "node:crypto";
import type { EncodedEvent } from "../../protocol/store.ts";
import type { Database } from "./database.ts";
import { Lines } from "./lines.ts";
import { endOfPage, eventsOfLines, eventsOfPage, writtenLine } from "./pages.ts";

/** Events of a run that this process has written and not filed yet. */
class Page {
  first = 0;
  readonly events = new Lines();
  /** The commit with the first of them. */
  commit = 0;
}

/** A journal that this process writes, with the page that its next events go to. */
export interface UnfiledJournal {
  runId: string;
  page?: Page;
}

const ACTIVE = "status IN ('running', 'waiting')";
/** Commits that a page waits for more events of its run. */
const WAIT_COMMITS = 256;
/** Commits that are removed at a time, once all of their events are filed. */
const SOME_COMMITS = 32;
/** Commits of one process are numbered one after the other, those of another somewhere else. */
const MOST_COMMITS = 2 ** 32;
const MOST_PROCESSES = 2 ** 20;

/**
 * Where events are between their commit and the pages of their run. A commit is one row with the events of all runs, and a
 * run is filed once a page has come together: a row for each event would touch as many pages of the file as there are runs.
 * Everything here is part of a transaction; after one that was rolled back `forget` must be called.
 */
export function unfiledOf(database: Database) {
  const insertWritten = database.prepare("INSERT INTO written_events (id, lines) VALUES (?, ?)");
  const removeWritten = database.prepare("DELETE FROM written_events WHERE id >= ? AND id < ?");
  const removeAll = database.prepare("DELETE FROM written_events");
  const all = database.prepare<{ lines: string }>("SELECT lines FROM written_events");
  // A run that is over, or was deleted, has no unfiled events: they are neither looked for nor filed.
  const mentioning = database.prepare<{ lines: string }>(
    `SELECT lines FROM written_events
     WHERE (SELECT ${ACTIVE} FROM runs WHERE id = ?1) AND instr(lines, ?1 || char(9)) > 0`,
  );
  const lastPage = database.prepare<EncodedEvent>(
    "SELECT seq, json FROM run_events WHERE run_id = ? ORDER BY seq DESC LIMIT 1",
  );
  const insertPage = database.prepare(
    `INSERT OR REPLACE INTO run_events (run_id, seq, json) SELECT id, ?, ? FROM runs WHERE id = ? AND ${ACTIVE}`,
  );
  const removePages = database.prepare("DELETE FROM run_events WHERE run_id = ? AND seq > ? AND seq <= ?");

  const start = randomInt(MOST_PROCESSES) * MOST_COMMITS;
  let commit = start;
  let removedBefore = start;
  let lines = "";
  /** By run; the one that waits longest comes first. */
  const pages = new Map<string, Page>();
  /** There may be more written than `pages` knows of: at first by those who died. */
  let unknown = true;

  function filedEnd(runId: string): number {
    const page = lastPage.get(runId);
    return page ? endOfPage(page) : 0;
  }

  function written(runId: string, after: number): EncodedEvent[] {
    const events = mentioning.all(runId).flatMap((row) => eventsOfLines(row.lines));
    return events
      .filter((event) => event.runId === runId && event.seq > after)
      .sort((left, right) => left.seq - right.seq);
  }

  /** Files events of which the first is the next one. */
  function fileNext(runId: string, events: readonly EncodedEvent[]): void {
    const [first] = events;
    if (first) insertPage.run(first.seq, events.map(({ json }) => json).join("\n"), runId);
  }

  function fileRun(runId: string): void {
    const page = pages.get(runId);
    if (!page) return;
    const { first, events } = page;
    insertPage.run(first, events.toString(), runId);
    // Whoever started meanwhile may have filed the same events.
    if (events.count > 1) removePages.run(runId, first, first + events.count - 1);
    events.clear();
    pages.delete(runId);
  }

  function fileAll(): void {
    if (!unknown) {
      for (const runId of [...pages.keys()]) fileRun(runId);
      removeFiled();
    }
    const events = all.all().flatMap((row) => eventsOfLines(row.lines));
    if (events.length === 0) return;
    for (const [runId, found] of Map.groupBy(events, (event) => event.runId)) {
      const end = filedEnd(runId);
      const rest = found.filter(({ seq }) => seq > end).sort((left, right) => left.seq - right.seq);
      fileNext(runId, rest);
    }
    removeAll.run();
  }

  function removeFiled(): void {
    const [oldest] = pages.values();
    const filedBefore = oldest?.commit ?? commit;
    if (oldest && filedBefore - removedBefore < SOME_COMMITS) return;
    removeWritten.run(start, filedBefore);
    removedBefore = filedBefore;
  }

  return {
    /** Files what nobody here knows of. */
    recover(): void {
      if (!unknown) return;
      fileAll();
      unknown = false;
    },

    /** Makes this process the one that writes a run; answers the number of its last event. */
    adopt(runId: string): number {
      fileRun(runId);
      fileNext(runId, written(runId, filedEnd(runId)));
      return filedEnd(runId);
    },

    /** Takes the next event of a run into this commit. */
    add(journal: UnfiledJournal, seq: number, json: string): void {
      const { runId } = journal;
      lines += writtenLine(runId, seq, json);
      journal.page ??= new Page();
      const { page } = journal;
      if (page.events.count === 0) {
        page.first = seq;
        page.commit = commit;
        pages.set(runId, page);
      }
      page.events.add(json);
    },

    /** Writes what was added, and files the pages that have waited long enough. */
    write(): void {
      if (lines !== "") insertWritten.run(commit++, lines);
      lines = "";
      for (const [runId, page] of pages) {
        if (page.commit >= commit - WAIT_COMMITS) break;
        fileRun(runId);
      }
      removeFiled();
    },

    fileRun,

    /** Files the last events of a run, with those that wait. */
    finishRun(runId: string, events: readonly EncodedEvent[]): void {
      fileRun(runId);
      fileNext(runId, events);
      removeFiled();
    },

    /** Files what anybody has written, so that all of a run's events are in its pages. */
    fileAll,

    /** The unfiled events of a run that come after a number; of our own runs we know them. */
    read(runId: string, after: number, isOwn: boolean): EncodedEvent[] {
      const page = pages.get(runId);
      if (page) return eventsOfPage({ seq: page.first, json: page.events.toString() }, after);
      return isOwn ? [] : written(runId, after).map(({ seq, json }) => ({ seq, json }));
    },

    /** What was done since the last commit never happened: the journals are not known any more either. */
    forget(): void {
      pages.clear();
      lines = "";
      unknown = true;
    },
  };
}
