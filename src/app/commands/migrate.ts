import { counted } from "../../protocol/counted.ts";
import { Failure } from "../../protocol/failure.ts";
import { entriesOf } from "../../store/backup/copy.ts";
import { lockDataDirectory } from "../../store/lock.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { say } from "../../terminal/output.ts";
import { copyEntries, createTables, isAccountTable, openEngine } from "./copy-data.ts";
import { recordCommand } from "./open-audit.ts";
import { configOf } from "./open-tackle.ts";

/** Copies everything to a PostgreSQL database. Files stay where they are. */
export async function run(line: CommandLine): Promise<number> {
  const config = await configOf(line, false);
  const { to: databaseUrl = "", force } = line;
  if (databaseUrl === config.databaseUrl)
    throw new Failure("INVALID_INPUT", "This database is already in use.");
  // A server that kept writing here would lose what it writes.
  const unlock = lockDataDirectory(config.dataDir, { whole: true });
  const target = { databaseUrl, dataDir: config.dataDir };
  const copied = await copy().finally(unlock);
  await recordCommand(config, { action: "data.migrated", subject: { ...copied } }, target);
  say([
    `${counted(copied.sessions, "session")}, all hashes equal. ${counted(copied.rows, "row")}.`,
    "Set DATABASE_URL to the new address and start again. Files stay where they are; for more than one instance set S3_* and TACKLE_SECRET.",
  ]);
  return 0;

  async function copy() {
    const source = await openEngine(config, "read");
    try {
      await createTables(config, target, (await source.tables()).some(isAccountTable));
      return await copyEntries(config, target, entriesOf(source), force);
    } finally {
      await source.close();
    }
  }
}
