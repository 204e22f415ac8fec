import { existsSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readSecret } from "../../accounts/secret.ts";
import type { ByteStore } from "../../files/byte-store.ts";
import { diskStore } from "../../files/disk.ts";
import { s3Store } from "../../files/s3.ts";
import { spool } from "../../files/spool.ts";
import { Failure } from "../../protocol/failure.ts";
import { readArchive, writeArchive } from "../../store/backup/archive.ts";
import { type Beside, type Copied, copyInto, counting, entriesOf } from "../../store/backup/copy.ts";
import type { Engine, Entry } from "../../store/backup/entries.ts";
import { openSqliteEngine } from "../../store/backup/sqlite.ts";
import { lockDataDirectory } from "../../store/lock.ts";
import { openSqliteStore } from "../../store/sqlite.ts";
import type { Config } from "../config.ts";
import { accountsDatabase } from "../open-accounts.ts";

type Place = Pick<Config, "databaseUrl" | "dataDir">;

/** Made by the server, beside the database: without them stored keys cannot be read, nor tokens accepted. */
const KEY_FILES = ["secret.key", "guest.key"];

/** Writes everything to one file, also while servers are at work. Answers what to tell. */
export async function backUp(config: Config, file: string, force: boolean): Promise<string[]> {
  const path = resolve(file);
  if (existsSync(path) && !force)
    throw new Failure("CONFLICT", `${path} is there already. Choose another name, or --force to replace it.`);
  const source = await openEngine(config, "read");
  const copied: Copied = { sessions: 0, rows: 0, files: 0, missing: 0 };
  try {
    const bytes = byteStore(config);
    await writeArchive(
      path,
      counting(
        withKeys(
          entriesOf(source, (id) => bytes.open(id)),
          config,
        ),
        copied,
      ),
    );
  } finally {
    await source.close();
  }
  return [`${path}: ${summary(copied)}.`, "It holds the server's keys: keep it where only you can read it."];
}

/** Reads such a file into the database that the settings name. Answers what to tell. */
export async function restore(config: Config, file: string, force: boolean): Promise<string[]> {
  const path = resolve(file);
  // Once to its end before anything is touched: a damaged file changes nothing.
  let hasAccounts = false;
  for await (const entry of readArchive(path))
    if ("table" in entry) hasAccounts ||= entry.table.name.startsWith("auth_");
  const unlock = lockDataDirectory(config.dataDir, { whole: true });
  try {
    await prepare(config, config, hasAccounts);
    const copied = await into(config, readArchive(path), besideOf(config), force);
    return [`${copied.sessions} sessions, all hashes equal. ${summary(copied)}.`];
  } finally {
    unlock();
  }
}

/** Copies everything to a PostgreSQL; the files stay where they are. Answers what to tell. */
export async function migrateTo(config: Config, url: string, force: boolean): Promise<string[]> {
  if (url === config.databaseUrl)
    throw new Failure("INVALID_INPUT", "This is the database that is in use already.");
  // What a server would still write here would be missing there.
  const unlock = lockDataDirectory(config.dataDir, { whole: true });
  try {
    const source = await openEngine(config, "read");
    try {
      const hasAccounts = (await source.tables()).some(({ name }) => name.startsWith("auth_"));
      const target = { databaseUrl: url, dataDir: config.dataDir };
      await prepare(config, target, hasAccounts);
      const copied = await into(target, entriesOf(source), besideOf(config), force);
      return [
        `${copied.sessions} sessions, all hashes equal. ${copied.rows} rows.`,
        "Start with DATABASE_URL set to the new address. Files stay where they are; for more than one instance set S3_* and TACKLE_SECRET.",
      ];
    } finally {
      await source.close();
    }
  } finally {
    unlock();
  }
}

async function into(place: Place, entries: AsyncIterable<Entry>, beside: Beside, force: boolean) {
  const target = await openEngine(place, "write");
  try {
    return await copyInto(target, entries, beside, { empty: force });
  } finally {
    await target.close();
  }
}

async function openEngine({ databaseUrl, dataDir }: Place, purpose: "read" | "write"): Promise<Engine> {
  if (databaseUrl !== undefined) {
    const { openPostgresEngine } = await import("../../store/backup/postgres.ts");
    return openPostgresEngine(databaseUrl, purpose);
  }
  const path = join(dataDir, "tackle.db");
  if (!existsSync(path)) throw new Failure("NOT_FOUND", `There is nothing to read in ${dataDir} yet.`);
  return openSqliteEngine(path, purpose);
}

/** Creates the tables of a database that may be new, those of accounts where there will be some. */
async function prepare(config: Config, place: Place, accounts: boolean): Promise<void> {
  if (place.databaseUrl === undefined) await (await openSqliteStore({ dataDir: place.dataDir })).close();
  else {
    const { openPostgresStore } = await import("../../store/postgres.ts");
    await (await openPostgresStore({ url: place.databaseUrl })).close();
  }
  if (!accounts) return;
  const { openEngine: openAccounts } = await import("../../accounts/engine.ts");
  const secret = config.secret ?? readSecret(config.dataDir, undefined);
  const engine = await openAccounts({ database: await accountsDatabase(place), secret });
  await engine.close();
}

async function* withKeys(entries: AsyncIterable<Entry>, { dataDir }: Place): AsyncGenerator<Entry> {
  yield* entries;
  for (const key of KEY_FILES) {
    const path = join(dataDir, key);
    if (existsSync(path)) yield { key, text: readFileSync(path, "utf8") };
  }
}

function besideOf(config: Config): Beside {
  const bytes = byteStore(config);
  const directory = filesDirectory(config);
  return {
    async keepFile(id, source) {
      if (!/^[\w-]+$/.test(id))
        throw new Failure("INVALID_INPUT", "A file of the archive has a name that no file has.");
      const spooled = await spool(source, { directory, maxBytes: Number.POSITIVE_INFINITY });
      await bytes.keep(id, spooled);
    },
    async keepKey(name, text) {
      if (!KEY_FILES.includes(name)) return;
      const path = join(config.dataDir, name);
      if (existsSync(path) && readFileSync(path, "utf8") === text) return;
      if (existsSync(path)) await rename(path, `${path}.before-restore`);
      await writeFile(path, text, { mode: 0o600, flag: "wx", flush: true });
    },
  };
}

function byteStore(config: Config): ByteStore {
  return config.files.s3 ? s3Store(config.files.s3) : diskStore(filesDirectory(config));
}

function filesDirectory({ dataDir }: Place): string {
  return join(dataDir, "files");
}

function summary({ sessions, rows, files, missing }: Copied): string {
  const lost = missing === 0 ? "" : `, ${missing} files whose bytes are not here`;
  return `${sessions} sessions, ${rows} rows, ${files} files${lost}`;
}
