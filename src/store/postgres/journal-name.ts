import { createHash } from "node:crypto";
import { type Database, statement } from "./database.ts";

// A copy of the data elsewhere has another name: it must not write to the same journal.
const IDENTITY = statement(
  `SELECT concat_ws(' ', system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database()),
     current_schema()::regnamespace::oid) AS identity FROM pg_control_system()`,
);

/** Returns the name of this installation in an event journal that several share. */
export async function journalName(database: Database): Promise<string> {
  const [row] = await database.queryAgain<{ identity: string }>(IDENTITY);
  return createHash("sha256")
    .update(row?.identity ?? "")
    .digest("hex")
    .slice(0, 12);
}
