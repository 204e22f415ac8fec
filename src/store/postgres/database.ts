import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type CustomTypesConfig, type PoolClient, types } from "pg";
import { breaksConnection, engineFailure, fateOf, NoConnection } from "./failures.ts";
import { createPool, type PoolOptions } from "./pool.ts";

/** A statement that each connection prepares once. */
export interface Statement {
  name: string;
  text: string;
}

/** `Row` is what the columns of the statement are: the one place where that is taken on trust. */
export type Query = <Row = Record<string, never>>(statement: Statement, values?: unknown[]) => Promise<Row[]>;

export interface Database {
  readonly schema: string;
  /** Tells this store's notifications from those of others. */
  readonly origin: string;
  /** Runs one statement, whole or not at all. */
  query: Query;
  /** The same for a statement that may as well run twice: it is also tried again when its answer was lost. */
  queryAgain: Query;
  /** Runs `work` whole or not at all; it may be run more than once, so all it does is to ask. */
  transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result>;
  /** Runs `work`, which may as well run twice, on a connection of the pool. */
  withClient<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>;
  /** How many connections are open, unused, and waited for. */
  connections(): { poolOpen: number; poolIdle: number; poolWaiting: number };
  close(): Promise<void>;
}

export interface DatabaseOptions extends PoolOptions {
  origin: string;
}

/** For how long a statement is tried again while the server cannot be reached. */
const PATIENCE_MS = 4_000;
const LONGEST_PAUSE_MS = 1_000;
/** How often writers who met each other try again. */
const RACES = 30;

/** JSON stays text: `rows.ts` parses it for both engines. */
const TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === types.builtins.JSON ? String : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/** A statement with a name of its own. */
export function statement(text: string): Statement {
  return { name: `tackle_${createHash("sha1").update(text).digest("hex").slice(0, 16)}`, text };
}

/** The database behind a bounded pool. Connects when it is first asked. */
export function openDatabase(options: DatabaseOptions): Database {
  const { schema, origin } = options;
  const pool = createPool(options);

  async function withClient<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await pool.connect().catch((cause: unknown) => {
      throw new NoConnection(cause);
    });
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = breaksConnection(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  function ask<Row>(client: PoolClient, { name, text }: Statement, values: unknown[]): Promise<Row[]> {
    return client
      .query({ name, text, values: values.map(storable), types: TYPES })
      .then(({ rows }) => rows as Row[]);
  }

  return {
    schema,
    origin,
    query: (sql, values = []) => persistently(false, () => withClient((client) => ask(client, sql, values))),
    queryAgain: (sql, values = []) =>
      persistently(true, () => withClient((client) => ask(client, sql, values))),
    transaction: (work) =>
      persistently(false, () =>
        withClient(async (client) => {
          await client.query("BEGIN");
          try {
            const result = await work((sql, values = []) => ask(client, sql, values));
            await client.query("COMMIT");
            return result;
          } catch (error) {
            await client.query("ROLLBACK").catch(() => {}); // The connection is gone, and the transaction with it.
            throw error;
          }
        }),
      ),
    withClient: (work) => persistently(true, () => withClient(work)),
    connections: () => ({
      poolOpen: pool.totalCount,
      poolIdle: pool.idleCount,
      poolWaiting: pool.waitingCount,
    }),
    close: () => pool.end(),
  };
}

/** Tries again what did not happen, or, where that does no harm, what may have happened. */
async function persistently<Result>(harmless: boolean, attempt: () => Promise<Result>): Promise<Result> {
  const until = Date.now() + PATIENCE_MS;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const fate = fateOf(error);
      const mayPass = fate === "unsent" || (fate === "unknown" && harmless);
      if (fate === "undone" && tries < RACES) await pause(Math.random() * Math.min(tries, 10));
      else if (mayPass && Date.now() < until)
        await pause(Math.min(25 * 2 ** tries, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2));
      else throw engineFailure(error);
    }
  }
}

/** PostgreSQL keeps every character in a text but one. */
function storable(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
  return Array.isArray(value) ? value.map(storable) : value;
}
