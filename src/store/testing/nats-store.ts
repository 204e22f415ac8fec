import type { Store } from "../../protocol/store.ts";
import { openNatsJournal } from "../nats.ts";
import { openPostgresStore, type PostgresOptions } from "../postgres.ts";

/** A PostgreSQL store with a journal on NATS, as JSON. */
export interface JournaledOptions extends PostgresOptions {
  journalUrl: string;
}

/** Opens the store that is spread over PostgreSQL and NATS. */
export function openPostgresWithNats({ journalUrl, ...options }: JournaledOptions): Promise<Store> {
  const warn = (line: string) => console.warn(line);
  return openPostgresStore({
    ...options,
    openJournal: (name) => openNatsJournal({ url: journalUrl, name, warn }),
  });
}
