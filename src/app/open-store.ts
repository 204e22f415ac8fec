import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { loadOptional } from "../protocol/optional-package.ts";
import type { Store } from "../protocol/store.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import type { Config } from "./config.ts";

export interface OpenedStore {
  store: Store;
  /** The name under which this process owns runs. */
  owner: string;
}

/** Whoever locks the data directory may take over every unfinished run in it. */
const EMBEDDED_OWNER = "embedded";

/**
 * Opens the configured store. `sole` means that this process has the data directory to itself. Only the driver that is used
 * is loaded.
 */
export async function openStore(
  config: Config,
  warn: (line: string) => void,
  sole = true,
): Promise<OpenedStore> {
  if (config.databaseUrl === undefined) {
    const store = await openSqliteStore({ dataDir: config.dataDir });
    if (!sole) return { store, owner: ownName() };
    await store.releaseLeases(EMBEDDED_OWNER);
    return { store, owner: EMBEDDED_OWNER };
  }
  if (config.secret === undefined)
    warn(
      "TACKLE_SECRET is not set: other instances on this database cannot read stored keys or accept tokens",
    );
  const { openPostgresStore } = await loadOptional("PostgreSQL", import("../store/postgres.ts"));
  const store = await openPostgresStore({ url: config.databaseUrl, poolSize: config.databasePool });
  return { store, owner: ownName() };
}

/** A unique name: two processes with the same name would renew each other's leases. */
function ownName(): string {
  return `${hostname()} ${process.pid} ${randomBytes(6).toString("base64url")}`;
}
