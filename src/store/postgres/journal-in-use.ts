import { Failure } from "../../protocol/failure.ts";
import { type Database, statement } from "./database.ts";

/** The setting of the server with the id of the journal that holds events of its runs. */
export const JOURNAL_IN_USE = "event_journal";

const FIND = statement(
  `SELECT value #>> '{}' AS id, (SELECT count(*) FROM runs WHERE NOT folded AND NOT events_cleared)::int AS runs
   FROM user_settings WHERE user_id = '' AND name = '${JOURNAL_IN_USE}'`,
);
const PUT = statement(
  `INSERT INTO user_settings (user_id, name, value) VALUES ('', '${JOURNAL_IN_USE}', to_json($1::text))
   ON CONFLICT (user_id, name) DO UPDATE SET value = excluded.value`,
);
const REMOVE = statement(`DELETE FROM user_settings WHERE user_id = '' AND name = '${JOURNAL_IN_USE}'`);

/**
 * Notes which journal holds events, if there is one. Throws while another one may still hold events of runs that are active or
 * have just ended: they would be lost.
 */
export async function noteJournal(database: Database, id: string | undefined): Promise<void> {
  const [former] = await database.queryAgain<{ id: string; runs: number }>(FIND);
  if (former?.id === id) return;
  if (former && former.runs > 0)
    throw new Failure(
      "CONFLICT",
      `Events of ${former.runs} runs may be in the journal that was used before, and this one ${id === undefined ? "uses none" : "is another"}. Start with the former TACKLE_JOURNAL_URL until these runs have ended, then change it.`,
    );
  await (id === undefined ? database.queryAgain(REMOVE) : database.queryAgain(PUT, [id]));
}
