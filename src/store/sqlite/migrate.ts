import type { DatabaseSync } from "node:sqlite";
import { Failure } from "../../protocol/failure.ts";
import { MIGRATIONS } from "./schema.ts";

/** Upgrades the database, one transaction per migration. Refuses a newer one. */
export function migrate(connection: DatabaseSync): void {
  connection.exec("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT");
  const found = Number(
    connection.prepare("SELECT coalesce(max(version), 0) AS version FROM schema_version").get()?.version,
  );
  if (found > MIGRATIONS.length) {
    throw new Failure(
      "CONFLICT",
      `The database was written by a newer version of Tackle (schema ${found}, this one reads up to ${MIGRATIONS.length}). Update Tackle, or restore a backup that this version made.`,
    );
  }
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < found) continue;
    connection.exec(
      `BEGIN IMMEDIATE; ${migration}; DELETE FROM schema_version; INSERT INTO schema_version VALUES (${index + 1}); COMMIT`,
    );
  }
}
