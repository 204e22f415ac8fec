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

/** The process that locks the data directory may take over the unfinished runs of the server before it. */
export const EMBEDDED_OWNER = "embedded";
const MOST_RUNS = 100_000;

interface Place {
  /** This process has locked the data directory. */
  locked: boolean;
  /** It works beside others, or only reads. */
  beside: boolean;
}

/**
 * Opens the configured store. `peers` means that the primary has locked the data directory for several. Only the driver that is
 * used is loaded.
 */
export async function openStore(
  config: Config,
  warn: (line: string) => void,
  { locked, beside }: Place = { locked: true, beside: false },
  peers?: Pick<Peers, "owner" | "first">,
): Promise<OpenedStore> {
  if (config.databaseUrl === undefined) {
    const store = await openSqliteStore({ dataDir: config.dataDir });
    if (peers ? peers.first : locked) await releaseFormer(store);
    return { store, owner: peers?.owner ?? (beside ? ownName() : EMBEDDED_OWNER) };
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

/** Releases the runs of the process that served the data directory before, of its workers, and of terminals that are gone. */
async function releaseFormer(store: Store): Promise<void> {
  const owners = new Set((await store.listActiveRuns(MOST_RUNS)).map(({ owner }) => owner));
  for (const owner of owners)
    if (owner.startsWith(EMBEDDED_OWNER) || isGone(owner)) await store.releaseLeases(owner);
}

/** A unique name: two processes with the same name would renew each other's leases. */
function ownName(): string {
  return `${hostname()} ${process.pid} ${randomBytes(6).toString("base64url")}`;
}

/** True for the name of a process of this machine that has ended. The lease of any other has to run out. */
function isGone(owner: string): boolean {
  const [host, pid] = owner.split(" ");
  if (host !== hostname() || !/^\d+$/.test(pid ?? "")) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH";
  }
}
