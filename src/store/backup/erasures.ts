import { ERASURE_KINDS, type Erasure } from "../../protocol/erasures.ts";
import type { ArchiveContents } from "./archive.ts";
import type { Engine, Entry, Table, Value } from "./entries.ts";

/** A deletion that a database remembers, with its time in epoch milliseconds. */
export type KnownErasure = Erasure & { at: number };

const COLUMNS = ["at", "done_at", "id", "kind"];

/** Yields the rows of a table by the names of their columns. Nothing if there is no such table. */
async function* namedRows(engine: Engine, name: string): AsyncGenerator<Record<string, Value | undefined>> {
  const table = (await engine.tables()).find((one) => one.name === name);
  if (!table) return;
  for await (const row of engine.rows(table))
    yield Object.fromEntries(table.columns.map((column, at) => [column, row[at]]));
}

/** Returns the deletions that a database remembers. */
export async function erasuresIn(engine: Engine): Promise<KnownErasure[]> {
  const known: KnownErasure[] = [];
  for await (const { kind, id, at } of namedRows(engine, "erasures"))
    known.push({
      kind: ERASURE_KINDS.find((one) => one === kind) ?? "session",
      id: String(id),
      at: Number(at),
    });
  return known;
}

/** Returns what a backup of this database will hold. */
export async function contentsOf(
  engine: Engine,
  keptDays: ArchiveContents["keptDays"],
): Promise<ArchiveContents> {
  const contents: ArchiveContents = { sessions: 0, accounts: 0, files: 0, keptDays };
  let [oldest, newest] = [Number.POSITIVE_INFINITY, 0];
  for await (const { created_at, updated_at } of namedRows(engine, "sessions")) {
    contents.sessions += 1;
    oldest = Math.min(oldest, Number(created_at));
    newest = Math.max(newest, Number(updated_at));
  }
  for await (const _ of namedRows(engine, "auth_users")) contents.accounts += 1;
  for await (const _ of namedRows(engine, "files")) contents.files += 1;
  if (contents.sessions === 0) return contents;
  return { ...contents, from: new Date(oldest).toISOString(), to: new Date(newest).toISOString() };
}

/** Yields the entries of an archive, with deletions that happened since and have to be repeated after it was restored. */
export async function* withErasures(
  entries: AsyncIterable<Entry>,
  since: readonly KnownErasure[],
): AsyncGenerator<Entry> {
  let table: Table | undefined;
  let added = since.length === 0;
  const rows = ({ columns }: Table): Entry[] =>
    since.map(({ kind, id, at }) => {
      const values: Record<string, Value> = { kind, id, at, done_at: null };
      return { row: columns.map((column) => values[column] ?? null) };
    });
  for await (const entry of entries) {
    if (!added && !("row" in entry) && (table?.name === "erasures" || !("table" in entry))) {
      const own = table?.name === "erasures" ? table : { name: "erasures", columns: COLUMNS };
      if (own !== table) yield { table: own };
      yield* rows(own);
      added = true;
    }
    if ("table" in entry) table = entry.table;
    yield entry;
  }
  if (added) return;
  if (table?.name !== "erasures") yield { table: { name: "erasures", columns: COLUMNS } };
  yield* rows(table?.name === "erasures" ? table : { name: "erasures", columns: COLUMNS });
}

/** Returns which of these deletions an archive still holds. */
export async function stillHeld(
  entries: AsyncIterable<Entry>,
  erasures: readonly KnownErasure[],
): Promise<KnownErasure[]> {
  const places = {
    session: "sessions",
    account: "auth_users",
    project: "projects",
    memory: "memories",
  } as const;
  const held = new Set<string>();
  let table: Table | undefined;
  for await (const entry of entries) {
    if ("table" in entry) table = entry.table;
    if (!("row" in entry) || !table || !Object.values<string>(places).includes(table.name)) continue;
    held.add(`${table.name} ${entry.row[table.columns.indexOf("id")]}`);
    // Users of an outside issuer and guests have no row of their own.
    if (table.name === "sessions") held.add(`auth_users ${entry.row[table.columns.indexOf("user_id")]}`);
  }
  return erasures.filter(({ kind, id }) => held.has(`${places[kind]} ${id}`));
}
