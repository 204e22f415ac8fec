import type { EncodedEvent } from "../../protocol/run-records.ts";
import { type Database, statement } from "./database.ts";
import { integers, jsonLines, splitLines } from "./lists.ts";
import { ACTIVE } from "./runs.ts";

// The lock keeps the run from being deleted meanwhile, so that nothing of a deleted run comes back.
const KEEP = statement(
  `WITH run AS MATERIALIZED (SELECT id FROM runs WHERE id = $1 AND NOT (${ACTIVE}) FOR SHARE), kept AS (
     INSERT INTO run_events (run_id, seq, json)
     SELECT id, seq, json FROM run, unnest($2::int[], ${splitLines("$3")}) AS e (seq, json)
     ON CONFLICT DO NOTHING
   )
   SELECT id FROM run`,
);

/** Writes the events of a run that has ended which an event journal held. Does nothing for an active run. */
export async function keepEventsOn(database: Database, runId: string, events: EncodedEvent[]): Promise<void> {
  await database.queryAgain(KEEP, [
    runId,
    integers(events.map(({ seq }) => seq)),
    jsonLines(events.map(({ json }) => json)),
  ]);
}
