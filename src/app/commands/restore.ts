import { resolve } from "node:path";
import { counted } from "../../protocol/counted.ts";
import { readArchive, readHeader } from "../../store/backup/archive.ts";
import { withErasures } from "../../store/backup/erasures.ts";
import { lockDataDirectory } from "../../store/lock.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { say } from "../../terminal/output.ts";
import {
  copyEntries,
  createTables,
  erasuresSince,
  isAccountTable,
  repeatErasures,
  rowsAndFiles,
} from "./copy-data.ts";
import { recordCommand } from "./open-audit.ts";
import { configOf } from "./open-tackle.ts";

/** Reads a backup into the database that the settings name. */
export async function run(line: CommandLine): Promise<number> {
  const config = await configOf(line, false);
  const path = resolve(line.file ?? "");
  // Read the whole file before changing anything, so that a damaged one does no harm.
  let hasAccounts = false;
  for await (const entry of readArchive(path))
    if ("table" in entry) hasAccounts ||= isAccountTable(entry.table);
  let again = 0;
  const unlock = lockDataDirectory(config.dataDir, { whole: true });
  const copied = await restore().finally(unlock);
  // In the log of the backup, which has replaced the one before it.
  await recordCommand(config, { action: "data.restored", subject: { ...copied } });
  say([
    `${counted(copied.sessions, "session")}, all hashes equal. ${rowsAndFiles(copied)}.`,
    ...(again > 0
      ? [
          `${again} conversations, projects, remembered lines or accounts that were deleted after the backup were deleted again.`,
        ]
      : []),
  ]);
  return 0;

  async function restore() {
    const deleted = await erasuresSince(config, (await readHeader(path)).at);
    await createTables(config, config, hasAccounts);
    const all = await copyEntries(config, config, withErasures(readArchive(path), deleted), line.force);
    again = await repeatErasures(config, hasAccounts);
    return all;
  }
}
