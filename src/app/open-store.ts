import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { loadOptional } from "../protocol/optional-package.ts";
import type { Store } from "../protocol/store.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import type { Config } from "./config.ts";
import type { Peers } from "./processes/peers.ts";

export interface OpenedStore {
  store: Store;
  /** The name under which this process owns runs. */
  owner: string;
}

/** Whoever locks the data directory may take over every unfinished run in it. */
export const EMBEDDED_OWNER = "embedded";
const MOST_RUNS = 100_000;

/**
 * Opens the configured store. `sole` means that this process has the data directory to itself, `peers` that the primary has it
 * for several. Only the driver that is used is loaded.
 */
export async function openStore(
  config: Config,
  warn: (line: string) => void,
  sole = true,
  peers?: Pick<Peers, "owner" | "first">,
): Promise<OpenedStore> {
  if (config.databaseUrl === undefined) {
    const store = await openSqliteStore({ dataDir: config.dataDir });
    if (peers ? peers.first : sole) await releaseFormer(store);
    return { store, owner: peers?.owner ?? (sole ? EMBEDDED_OWNER : ownName()) };
  }
  if (config.secret === undefined)
    warn(
      "TACKLE_SECRET is not set: other instances on this database cannot read stored keys or accept tokens",
    );
  const { openPostgresStore } = await loadOptional("PostgreSQL", import("../store/postgres.ts"));
  const { databaseUrl: url, databasePool: poolSize, journalUrl } = config;
  if (journalUrl === undefined)
    return { store: await openPostgresStore({ url, poolSize }), owner: peers?.owner ?? ownName() };
  const { openNatsJournal } = await loadOptional("The journal on NATS", import("../store/nats.ts"));
  const openJournal = (name: string) => openNatsJournal({ url: journalUrl, name, warn });
  const store = await openPostgresStore({ url, poolSize, openJournal });
  return { store, owner: peers?.owner ?? ownName() };
}

/** Releases the runs of the process that had the data directory before, or of its workers. */
async function releaseFormer(store: Store): Promise<void> {
  const owners = (await store.listActiveRuns(MOST_RUNS)).map(({ owner }) => owner);
  for (const owner of new Set(owners)) if (owner.startsWith(EMBEDDED_OWNER)) await store.releaseLeases(owner);
}

/** A unique name: two processes with the same name would renew each other's leases. */
function ownName(): string {
  return `${hostname()} ${process.pid} ${randomBytes(6).toString("base64url")}`;
}
