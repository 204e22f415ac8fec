import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { counted } from "../../protocol/counted.ts";
import { Failure } from "../../protocol/failure.ts";
import { writeArchive } from "../../store/backup/archive.ts";
import { type Copied, counting, entriesOf } from "../../store/backup/copy.ts";
import type { Entry } from "../../store/backup/entries.ts";
import { contentsOf } from "../../store/backup/erasures.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { say } from "../../terminal/output.ts";
import type { Config } from "../config.ts";
import { wordsOf } from "../record-runs.ts";
import { byteStore, KEY_FILES, openEngine, rowsAndFiles } from "./copy-data.ts";
import { recordCommand } from "./open-audit.ts";
import { configOf } from "./open-tackle.ts";

/** Writes everything to one file, also while servers are running. */
export async function run(line: CommandLine): Promise<number> {
  const config = await configOf(line, false);
  const path = resolve(line.file ?? "");
  if (existsSync(path) && !line.force)
    throw new Failure("CONFLICT", `${path} exists. Choose another name, or use --force to replace it.`);
  const source = await openEngine(config, "read");
  const copied: Copied = { sessions: 0, rows: 0, files: 0, missing: 0 };
  try {
    const bytes = byteStore(config);
    const at = new Date().toISOString();
    const contents = await contentsOf(source, { ...config.keptDays });
    const entries = entriesOf(source, (id) => bytes.open(id));
    await writeArchive(path, counting(withKeys(entries, config), copied), { at, contents }).catch(
      (thrown) => {
        const { path: where, syscall } = thrown as NodeJS.ErrnoException;
        const isOfFile = where === `${path}.part` || syscall === "write";
        if (!isOfFile) throw thrown;
        throw new Failure("INVALID_INPUT", `${path} cannot be written: ${wordsOf(thrown)}.`, {
          cause: thrown,
        });
      },
    );
  } finally {
    await source.close();
  }
  await recordCommand(config, { action: "data.backed_up", subject: { ...copied } });
  say([
    `${path}: ${counted(copied.sessions, "session")}, ${rowsAndFiles(copied)}.`,
    "It contains the server's keys: store it where only you can read it.",
    "It keeps what is deleted later: tackle backup verify names it, and tackle restore deletes it again.",
  ]);
  return 0;
}

async function* withKeys(entries: AsyncIterable<Entry>, { dataDir }: Config): AsyncGenerator<Entry> {
  yield* entries;
  for (const key of KEY_FILES) {
    const path = join(dataDir, key);
    if (existsSync(path)) yield { key, text: readFileSync(path, "utf8") };
  }
}
