import { existsSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Directory } from "../../accounts/directory.ts";
import { readSecret } from "../../accounts/secret.ts";
import type { ByteStore } from "../../files/byte-store.ts";
import { diskStore } from "../../files/disk.ts";
import { s3Store } from "../../files/s3.ts";
import { spool } from "../../files/spool.ts";
import { counted } from "../../protocol/counted.ts";
import { Failure } from "../../protocol/failure.ts";
import { type Copied, copyInto, type OtherData } from "../../store/backup/copy.ts";
import type { Engine, Entry } from "../../store/backup/entries.ts";
import { erasuresIn, type KnownErasure } from "../../store/backup/erasures.ts";
import { openSqliteEngine } from "../../store/backup/sqlite.ts";
import { repeatErasure } from "../../store/repeat-erasure.ts";
import { openSqliteStore } from "../../store/sqlite.ts";
import type { Config } from "../config.ts";
import { accountsDatabase } from "../open-accounts.ts";
import { openStore } from "../open-store.ts";

type Place = Pick<Config, "databaseUrl" | "dataDir">;

/** The server's keys, beside the database. Stored API keys and tokens are useless without them. */
export const KEY_FILES = ["secret.key", "guest.key"];

/** Copies entries into a database, and their files and keys to where the settings say. */
export async function copyEntries(
  config: Config,
  place: Place,
  entries: AsyncIterable<Entry>,
  force: boolean,
): Promise<Copied> {
  const target = await openEngine(place, "write");
  try {
    return await copyInto(target, entries, otherDataOf(config), { empty: force });
  } finally {
    await target.close();
  }
}

/** Opens the database for copying. Throws NOT_FOUND if there is none. */
export async function openEngine(
  { databaseUrl, dataDir }: Place,
  purpose: "read" | "write",
): Promise<Engine> {
  if (databaseUrl !== undefined) {
    const { openPostgresEngine } = await import("../../store/backup/postgres.ts");
    return openPostgresEngine(databaseUrl, purpose);
  }
  const path = join(dataDir, "tackle.db");
  if (!existsSync(path)) throw new Failure("NOT_FOUND", `There is no data in ${dataDir} yet.`);
  return openSqliteEngine(path, purpose);
}

/** Returns what was deleted from the configured database after a time. Nothing if there is none yet. */
export async function erasuresSince(place: Place, since: string): Promise<KnownErasure[]> {
  if (place.databaseUrl === undefined && !existsSync(join(place.dataDir, "tackle.db"))) return [];
  const engine = await openEngine(place, "read");
  try {
    return (await erasuresIn(engine)).filter(({ at }) => at >= Date.parse(since));
  } finally {
    await engine.close();
  }
}

/** Completes the deletions that a restored database has to repeat. Returns how many there were. */
export async function repeatErasures(config: Config, hasAccounts: boolean): Promise<number> {
  const { store } = await openStore(config, () => {}, { locked: false, beside: true });
  try {
    const pending = await store.unfinishedErasures();
    if (pending.length === 0) return 0;
    const directory = hasAccounts ? await openDirectory(config) : undefined;
    for (const { kind, id } of pending) {
      if (kind === "account") await directory?.remove(id);
      await repeatErasure(store, { kind, id });
    }
    await directory?.close();
    const bytes = byteStore(config);
    for (const id of await store.listFileLeftovers(Number.MAX_SAFE_INTEGER)) {
      await bytes.remove(id);
      await store.forgetFileLeftover(id);
    }
    return pending.length;
  } finally {
    await store.close();
  }
}

async function openDirectory(config: Config): Promise<Directory> {
  const [{ openEngine: openAccounts }, { createDirectory }] = await Promise.all([
    import("../../accounts/engine.ts"),
    import("../../accounts/directory.ts"),
  ]);
  const secret = config.secret ?? readSecret(config.dataDir, undefined);
  return createDirectory(await openAccounts({ database: await accountsDatabase(config), secret }));
}

/** True for a table that belongs to the accounts. */
export function isAccountTable({ name }: { name: string }): boolean {
  return name.startsWith("auth_");
}

/** Creates the tables of a database that may be new, and those for accounts if there are any. */
export async function createTables(config: Config, place: Place, accounts: boolean): Promise<void> {
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

/** Where the bytes of files are: a bucket or the data directory. */
export function byteStore(config: Config): ByteStore {
  return config.files.s3 ? s3Store(config.files.s3) : diskStore(filesDirectory(config));
}

/** What was copied besides the sessions. */
export function rowsAndFiles({ rows, files, missing }: Copied): string {
  const lost = missing === 0 ? "" : `, ${counted(missing, "file")} without content`;
  return `${counted(rows, "row")}, ${counted(files, "file")}${lost}`;
}

function otherDataOf(config: Config): OtherData {
  const bytes = byteStore(config);
  const directory = filesDirectory(config);
  return {
    async keepFile(id, source) {
      if (!/^[\w-]+$/.test(id)) throw new Failure("INVALID_INPUT", "The archive has a file with a bad name.");
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

function filesDirectory({ dataDir }: Place): string {
  return join(dataDir, "files");
}
