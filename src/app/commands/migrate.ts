import { Failure } from "../../protocol/failure.ts";
import { entriesOf } from "../../store/backup/copy.ts";
import { lockDataDirectory } from "../../store/lock.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { say } from "../../terminal/output.ts";
import { copyEntries, createTables, isAccountTable, openEngine } from "./copy-data.ts";
import { configOf } from "./open-tackle.ts";

/** Copies everything to a PostgreSQL database. Files stay where they are. */
export async function run(line: CommandLine): Promise<number> {
  const config = await configOf(line, false);
  const { to: databaseUrl = "", force } = line;
  if (databaseUrl === config.databaseUrl)
    throw new Failure("INVALID_INPUT", "This database is already in use.");
  // A server that kept writing here would lose what it writes.
  const unlock = lockDataDirectory(config.dataDir, { whole: true });
  try {
    const source = await openEngine(config, "read");
    try {
      const target = { databaseUrl, dataDir: config.dataDir };
      await createTables(config, target, (await source.tables()).some(isAccountTable));
      const copied = await copyEntries(config, target, entriesOf(source), force);
      say([
        `${copied.sessions} sessions, all hashes equal. ${copied.rows} rows.`,
        "Set DATABASE_URL to the new address and start again. Files stay where they are; for more than one instance set S3_* and TACKLE_SECRET.",
      ]);
      return 0;
    } finally {
      await source.close();
    }
  } finally {
    unlock();
  }
}
