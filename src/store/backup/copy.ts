import { Failure } from "../../protocol/failure.ts";
import type { Engine, Entry, Table, Value } from "./entries.ts";
import { SessionHashes } from "./session-hashes.ts";

/** Opens the bytes of a file. Throws NOT_FOUND if there are none. */
export type OpenFile = (id: string) => Promise<AsyncIterable<Uint8Array>>;

/** Stores what does not go into a database. */
export interface OtherData {
  keepFile(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  keepKey(name: string, text: string): Promise<void>;
}

export interface Copied {
  sessions: number;
  rows: number;
  files: number;
  /** Files whose bytes no longer exist. */
  missing: number;
}

const BATCH_ROWS = 200;
const BATCH_CHARACTERS = 4_000_000;
const CHUNK_BYTES = 192 * 1024;

/** Yields everything in an engine, with the bytes of its files. */
export async function* entriesOf(engine: Engine, openFile?: OpenFile): AsyncGenerator<Entry> {
  const files: string[] = [];
  for (const table of await engine.tables()) {
    yield { table };
    for await (const row of engine.rows(table)) {
      if (table.name === "files") files.push(String(row[table.columns.indexOf("id")]));
      yield { row };
    }
  }
  if (openFile) for (const id of files) yield* fileEntries(id, openFile);
}

async function* fileEntries(id: string, openFile: OpenFile): AsyncGenerator<Entry> {
  yield { file: id };
  let complete = false;
  try {
    for await (const chunk of await openFile(id))
      for (let from = 0; from < chunk.length; from += CHUNK_BYTES)
        yield { bytes: Buffer.from(chunk.subarray(from, from + CHUNK_BYTES)).toString("base64") };
    complete = true;
  } catch (thrown) {
    // Deleted since the snapshot, or stored on the disk of another instance.
    if (!(thrown instanceof Failure && thrown.code === "NOT_FOUND")) throw thrown;
  }
  yield { endOfFile: complete ? "complete" : "missing" };
}

/** Yields entries and counts them. */
export async function* counting(entries: AsyncIterable<Entry>, copied: Copied): AsyncGenerator<Entry> {
  let table = "";
  for await (const entry of entries) {
    if ("table" in entry) table = entry.table.name;
    if ("row" in entry) copied.rows += 1;
    if ("row" in entry && table === "sessions") copied.sessions += 1;
    if ("endOfFile" in entry) copied[entry.endOfFile === "complete" ? "files" : "missing"] += 1;
    yield entry;
  }
}

/**
 * Writes everything into an engine and reads it back. It commits only if every session has the same hash as in the source.
 * A target that is not empty is refused, or emptied first.
 */
export async function copyInto(
  target: Engine,
  entries: AsyncIterable<Entry>,
  other: OtherData,
  options: { empty: boolean },
): Promise<Copied> {
  const tables = await target.tables();
  if (!options.empty) await checkEmpty(target, tables);
  for (const table of deletionOrder(tables))
    if (options.empty || WRITTEN_AT_START.has(table.name)) await target.clear(table);
  const copied: Copied = { sessions: 0, rows: 0, files: 0, missing: 0 };
  const given = new SessionHashes();
  const iterator = counting(entries, copied)[Symbol.asyncIterator]();
  const written: Table[] = [];
  let writer: BatchWriter | undefined;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    const entry = next.value;
    if ("row" in entry && writer) {
      given.add(writer.table, entry.row);
      await writer.add(entry.row);
      continue;
    }
    await writer?.flush();
    writer = undefined;
    if ("table" in entry) {
      writer = new BatchWriter(target, knownTable(entry.table, tables));
      written.push(entry.table);
    }
    if ("file" in entry) await keepFile(entry.file, iterator, other);
    if ("key" in entry) await other.keepKey(entry.key, entry.text);
  }
  await writer?.flush();
  const differences = given.differences(await hashesOf(target, written));
  if (differences.length > 0) {
    const names = differences.slice(0, 3).map((id) => id || "rows without a session");
    throw new Failure(
      "INTERNAL",
      `What was written is not what was read (${differences.length} differ: ${names.join(", ")}). Nothing was changed.`,
    );
  }
  await target.commit();
  return copied;
}

/** Returns the hashes of all sessions, over the columns that were written. */
async function hashesOf(engine: Engine, tables: readonly Table[]): Promise<SessionHashes> {
  const hashes = new SessionHashes();
  for (const table of tables) for await (const row of engine.rows(table)) hashes.add(table, row);
  return hashes;
}

class BatchWriter {
  readonly table: Table;
  readonly #target: Engine;
  #rows: Value[][] = [];
  #characters = 0;

  constructor(target: Engine, table: Table) {
    this.#target = target;
    this.table = table;
  }

  async add(row: Value[]): Promise<void> {
    this.#rows.push(row);
    this.#characters += JSON.stringify(row).length;
    if (this.#rows.length >= BATCH_ROWS || this.#characters > BATCH_CHARACTERS) await this.flush();
  }

  async flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    this.#characters = 0;
    await this.#target.insert(this.table, rows);
  }
}

async function keepFile(id: string, iterator: AsyncIterator<Entry>, other: OtherData): Promise<void> {
  const first = await iterator.next();
  if (first.done || !("bytes" in first.value)) return;
  await other.keepFile(id, bytesFrom(first.value.bytes, iterator));
}

async function* bytesFrom(first: string, iterator: AsyncIterator<Entry>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(first, "base64");
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    if (!("bytes" in next.value)) return;
    yield Buffer.from(next.value.bytes, "base64");
  }
}

/** Tables that a server writes to when it only starts: audit log, samples, its settings. Their rows are replaced by the copy. */
const WRITTEN_AT_START = new Set(["audit_log", "audit_head", "samples", "user_settings"]);

function isWrittenAtStart({ name, columns }: Table, row: Value[]): boolean {
  if (!WRITTEN_AT_START.has(name)) return false;
  return name !== "user_settings" || row[columns.indexOf("user_id")] === "";
}

/** Tables that refer to others come first, and leftovers last, because deleting files adds some. */
function deletionOrder(tables: readonly Table[]): Table[] {
  const leftovers = tables.filter(({ name }) => name === "file_leftovers");
  return [...tables.toReversed().filter(({ name }) => name !== "file_leftovers"), ...leftovers];
}

async function checkEmpty(target: Engine, tables: readonly Table[]): Promise<void> {
  for (const table of tables) {
    for await (const row of target.rows(table)) {
      if (isWrittenAtStart(table, row)) continue;
      throw new Failure(
        "CONFLICT",
        `The database is not empty (${table.name}). Use an empty one, or --force to replace everything in it.`,
      );
    }
  }
}

function knownTable(table: Table, known: readonly Table[]): Table {
  const columns = known.find(({ name }) => name === table.name)?.columns;
  const missing = columns ? table.columns.find((column) => !columns.includes(column)) : table.name;
  if (missing === undefined) return table;
  throw new Failure(
    "CONFLICT",
    `The data was written by a newer version of Tackle: this one has no ${table.name} (${missing}). Update Tackle.`,
  );
}
