import { createHash } from "node:crypto";
import { type CustomTypesConfig, type PoolClient, types } from "pg";
import { backoffMs, retrying } from "../../protocol/abortable.ts";
import { breaksConnection, engineFailure, NoConnection, outcomeOf } from "./failures.ts";
import { createPool, type PoolOptions } from "./pool.ts";

/** A statement that each connection prepares once. */
export interface Statement {
  name: string;
  text: string;
}

/** `Row` is not checked: rows with stored values are `unknown` and go through `rows.ts`. */
export type Query = <Row = Record<string, never>>(statement: Statement, values?: unknown[]) => Promise<Row[]>;

export interface Database {
  readonly schema: string;
  /** Marks this store's own notifications. */
  readonly origin: string;
  /** An instance of the former version is connected, and has to read what this one writes. */
  formerIsThere: boolean;
  /** Runs one statement atomically. */
  query: Query;
  /** The same for a statement that may run twice: it is also retried if the answer was lost. */
  queryAgain: Query;
  /** Runs `work` in a transaction. It may run more than once, so it must do nothing but query. */
  transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result>;
  /** Runs `work` on a connection of the pool. It may run more than once. */
  withClient<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>;
  /** How many connections are open and idle, and how many callers wait for one. */
  connections(): { poolOpen: number; poolIdle: number; poolWaiting: number };
  close(): Promise<void>;
}

export interface DatabaseOptions extends PoolOptions {
  origin: string;
}

/** For how long a statement is retried while the server cannot be reached. */
const PATIENCE_MS = 4_000;
const RECONNECT = { firstMs: 50, maxMs: 1_000 };
/** How often a statement is repeated after a conflict with another writer. */
const MAX_CONFLICTS = 30;

/** JSON stays text: `rows.ts` parses it for both engines. */
const TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === types.builtins.JSON ? String : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/** Names a statement, so that each connection prepares it once. */
export function statement(text: string): Statement {
  return { name: `tackle_${createHash("sha1").update(text).digest("hex").slice(0, 16)}`, text };
}

/** Opens the database behind a bounded pool. The first query connects. */
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
    formerIsThere: true,
    query: (sql, values = []) => withRetries(false, () => withClient((client) => ask(client, sql, values))),
    queryAgain: (sql, values = []) =>
      withRetries(true, () => withClient((client) => ask(client, sql, values))),
    transaction: (work) =>
      withRetries(false, () =>
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
    withClient: (work) => withRetries(true, () => withClient(work)),
    connections: () => ({
      poolOpen: pool.totalCount,
      poolIdle: pool.idleCount,
      poolWaiting: pool.waitingCount,
    }),
    close: () => pool.end(),
  };
}

/** Retries what the server did not do, and, if it is harmless to repeat, what it may have done. */
function withRetries<Result>(repeatable: boolean, attempt: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + PATIENCE_MS;
  return retrying(attempt, (error, retry) => {
    const outcome = outcomeOf(error);
    if (outcome === "rolled back" && retry < MAX_CONFLICTS) return Math.random() * Math.min(retry, 10);
    const mayPass = outcome === "not sent" || (outcome === "unknown" && repeatable);
    if (mayPass && performance.now() < until) return backoffMs(retry, RECONNECT);
    throw engineFailure(error);
  });
}

/** PostgreSQL cannot store the character U+0000 in a text. */
function storable(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
  return Array.isArray(value) ? value.map(storable) : value;
}
