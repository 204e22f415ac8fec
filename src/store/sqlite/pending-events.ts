import { randomInt } from "node:crypto";
import { GrowingBytes } from "../../protocol/growing.ts";
import type { EncodedEvent } from "../../protocol/run-records.ts";
import type { Database } from "./database.ts";
import { endOfPage, eventsOfLines, eventsOfPage, writtenLine } from "./pages.ts";

/** Events of a run that this process has committed but not yet moved to a page. */
class Page {
  first = 0;
  readonly events = new GrowingBytes("\n");
  /** The commit with the first of them. */
  commit = 0;
}

/** A journal that this process writes, with the page that collects its next events. */
export interface PendingJournal {
  runId: string;
  page?: Page;
}

const ACTIVE = "status IN ('running', 'waiting')";
/** Commits for which a page waits for more events of its run. */
const WAIT_COMMITS = 256;
/** How many commits are deleted at a time, once all of their events are in pages. */
const DELETE_COMMITS = 32;
/** Each process numbers its commits in a separate range. */
const MAX_COMMITS = 2 ** 32;
const MAX_PROCESSES = 2 ** 20;

/**
 * Events between their commit and the pages of their run. A commit is one row with the events of all runs; a run's events
 * move to a page once enough have accumulated. A row for each event would touch as many pages of the file as there are
 * runs. Everything here is part of a transaction; call `forget` after one that was rolled back.
 */
export function pendingEventsOf(database: Database) {
  const insertCommit = database.prepare("INSERT INTO written_events (id, lines) VALUES (?, ?)");
  const deleteCommits = database.prepare("DELETE FROM written_events WHERE id >= ? AND id < ?");
  const deleteAll = database.prepare("DELETE FROM written_events");
  const all = database.prepare<{ lines: string }>("SELECT lines FROM written_events");
  // A run that has ended or was deleted has no pending events.
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
  const deletePages = database.prepare("DELETE FROM run_events WHERE run_id = ? AND seq > ? AND seq <= ?");

  const start = randomInt(MAX_PROCESSES) * MAX_COMMITS;
  let commit = start;
  let deletedBefore = start;
  let lines = "";
  /** By run, the one that has waited longest first. */
  const pages = new Map<string, Page>();
  /** True while there may be commits that `pages` does not know: at first, those of processes that died. */
  let unknown = true;

  function lastSeq(runId: string): number {
    const page = lastPage.get(runId);
    return page ? endOfPage(page) : 0;
  }

  function committed(runId: string, after: number): EncodedEvent[] {
    const events = mentioning.all(runId).flatMap((row) => eventsOfLines(row.lines));
    return events
      .filter((event) => event.runId === runId && event.seq > after)
      .sort((left, right) => left.seq - right.seq);
  }

  /** Writes a page with the events that come next. */
  function appendPage(runId: string, events: readonly EncodedEvent[]): void {
    const [first] = events;
    if (first) insertPage.run(first.seq, events.map(({ json }) => json).join("\n"), runId);
  }

  function flushRun(runId: string): void {
    const page = pages.get(runId);
    if (!page) return;
    const { first, events } = page;
    insertPage.run(first, events.toString(), runId);
    // A process that started meanwhile may have written pages with the same events.
    if (events.count > 1) deletePages.run(runId, first, first + events.count - 1);
    events.clear();
    pages.delete(runId);
  }

  function flushAll(): void {
    if (!unknown) {
      for (const runId of [...pages.keys()]) flushRun(runId);
      deleteFlushed();
    }
    const events = all.all().flatMap((row) => eventsOfLines(row.lines));
    if (events.length === 0) return;
    for (const [runId, found] of Map.groupBy(events, (event) => event.runId)) {
      const end = lastSeq(runId);
      const rest = found.filter(({ seq }) => seq > end).sort((left, right) => left.seq - right.seq);
      appendPage(runId, rest);
    }
    deleteAll.run();
  }

  function deleteFlushed(): void {
    const [oldest] = pages.values();
    const flushedBefore = oldest?.commit ?? commit;
    if (flushedBefore - deletedBefore < (oldest ? DELETE_COMMITS : 1)) return;
    deleteCommits.run(start, flushedBefore);
    deletedBefore = flushedBefore;
  }

  return {
    /** Moves commits of processes that died to pages. */
    recover(): void {
      if (!unknown) return;
      flushAll();
      unknown = false;
    },

    /** Makes this process the writer of a run. Returns the number of its last event. */
    adopt(runId: string): number {
      flushRun(runId);
      appendPage(runId, committed(runId, lastSeq(runId)));
      return lastSeq(runId);
    },

    /** Adds the next event of a run to this commit. */
    add(journal: PendingJournal, seq: number, json: string): void {
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

    /** Writes what was added, and flushes the pages that have waited long enough. */
    write(): void {
      if (lines !== "") insertCommit.run(commit++, lines);
      lines = "";
      for (const [runId, page] of pages) {
        if (page.commit >= commit - WAIT_COMMITS) break;
        flushRun(runId);
      }
      deleteFlushed();
    },

    flushRun,

    /** Flushes the pending events of a run together with its last ones. */
    finishRun(runId: string, events: readonly EncodedEvent[]): void {
      const page = pages.get(runId);
      if (page) {
        // One row, not two: with 100 runs at once, one of 64 tokens then writes 37 pages to the write-ahead log instead of 44.
        for (const { json } of events) page.events.add(json);
        flushRun(runId);
      } else appendPage(runId, events);
      deleteFlushed();
    },

    /** Flushes the events of all processes, so that every run has all of its events in pages. */
    flushAll,

    /** Returns the pending events of a run after a number. Those of our own runs are in memory. */
    read(runId: string, after: number, isOwn: boolean): EncodedEvent[] {
      const page = pages.get(runId);
      if (page) return eventsOfPage({ seq: page.first, json: page.events.toString() }, after);
      return isOwn ? [] : committed(runId, after).map(({ seq, json }) => ({ seq, json }));
    },

    /** Forgets everything since the last commit, which was rolled back, and what is known of the journals. */
    forget(): void {
      pages.clear();
      lines = "";
      unknown = true;
    },
  };
}
