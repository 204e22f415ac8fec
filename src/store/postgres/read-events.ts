import type { EncodedEvent } from "../../protocol/run-records.ts";
import { unfoldEvents } from "../folding.ts";
import { TRANSCRIPT_COLUMNS, type Transcript, transcriptOf } from "../packing.ts";
import { eventsOfPage } from "./append-events.ts";
import { type Query, statement } from "./database.ts";
import { dayOf } from "./journal-tables.ts";

export interface Wanted {
  runId: string;
  after: number;
  limit: number;
}

/** A page of events, or the folded events of a run that has ended, with its transcript. */
export interface StoredPage extends EncodedEvent, Transcript {
  number: number;
  bytes: Uint8Array | null;
}

const READ = statement(
  `WITH wanted AS MATERIALIZED (
     SELECT number::int, after, most, id, message_id, ${dayOf("created_at")} AS day, folded
     FROM unnest($1::text[], $2::int[], $3::int[]) WITH ORDINALITY AS w (run_id, after, most, number)
     JOIN runs ON id = run_id
   )
   SELECT number, seq, json, NULL AS bytes, NULL AS text, NULL AS parts, NULL AS state, NULL AS format FROM wanted, LATERAL (
     (SELECT seq, json FROM run_pages AS p WHERE p.run_id = id AND p.day = wanted.day AND seq > after ORDER BY seq LIMIT most)
     UNION ALL
     (SELECT seq, json FROM former_events AS f WHERE f.run_id = id AND seq > after ORDER BY seq LIMIT most)
   ) AS page WHERE NOT folded
   UNION ALL
   SELECT number, 0, '', f.bytes, ${TRANSCRIPT_COLUMNS} FROM wanted JOIN run_folded AS f ON f.run_id = wanted.id
   LEFT JOIN messages AS m ON m.id = wanted.message_id WHERE folded`,
);

/** Reads what is stored of each run after a number, in one statement. */
export async function readPages(query: Query, wanted: readonly Wanted[]): Promise<StoredPage[][]> {
  const rows = await query<StoredPage>(READ, [
    wanted.map(({ runId }) => runId),
    wanted.map(({ after }) => after),
    wanted.map(({ limit }) => limit),
  ]);
  const pages = Map.groupBy(rows, ({ number }) => number);
  return wanted.map((_, index) => pages.get(index + 1) ?? []);
}

/** Returns the events of what was read. Pages of two tables may come in any order. */
export function eventsOfPages(pages: readonly StoredPage[], { after, limit }: Wanted): EncodedEvent[] {
  const [first] = pages;
  if (first?.bytes) return unfoldEvents(first.bytes, transcriptOf(first)).slice(after, after + limit);
  return pages
    .toSorted((left, right) => left.seq - right.seq)
    .flatMap((page) => eventsOfPage(page, after))
    .slice(0, limit);
}
