import { resolve } from "node:path";
import { counted } from "../../protocol/counted.ts";
import { type ArchiveHeader, readArchive, readHeader } from "../../store/backup/archive.ts";
import { stillHeld } from "../../store/backup/erasures.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { report } from "../../terminal/output.ts";
import { erasuresSince } from "./copy-data.ts";
import { configOf } from "./open-tackle.ts";

const MOST_NAMED = 20;

/** Checks a backup, and says what it holds and what of that was deleted since. */
export async function run(line: CommandLine): Promise<number> {
  const path = resolve(line.file ?? "");
  const header = await readHeader(path);
  const since = await erasuresSince(await configOf(line, false), header.at);
  const deleted = await stillHeld(readArchive(path), since);
  report(line, { whole: true, ...header, deletedSince: deleted }, () => [
    `${path} is whole. ${contentsText(header)}`,
    ...(deleted.length === 0
      ? ["Nothing that it holds was deleted since, as far as this server knows."]
      : [
          `It still holds ${deleted.length} conversations, projects, remembered lines or accounts that were deleted since. tackle restore deletes them again.`,
          ...deleted.slice(0, MOST_NAMED).map(({ kind, id, at }) => `${kind} ${id}, deleted ${day(at)}`),
        ]),
  ]);
  return 0;
}

function contentsText({ at, contents }: ArchiveHeader): string {
  const { sessions, accounts, files, from, to, keptDays } = contents;
  const range = from && to ? `, from ${day(from)} to ${day(to)}` : "";
  const kept = Object.entries(keptDays).map(
    ([name, days]) => `${name} ${days === 0 ? "forever" : counted(days, "day")}`,
  );
  return `Made ${day(at)}: ${counted(sessions, "session")}${range}, ${counted(accounts, "account")}, ${counted(files, "file")}. Kept then: ${kept.join(", ")}.`;
}

function day(time: string | number): string {
  return new Date(time).toISOString().slice(0, 10);
}
