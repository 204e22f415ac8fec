import { Pool, type PoolClient } from "pg";
import { quoted } from "./schema.ts";

export interface PoolOptions {
  url: string;
  /** The one schema that belongs to us. */
  schema: string;
  poolSize: number;
  statementTimeoutMs: number;
}

/** The schema that is ours, and the longest that one statement may take, where nothing else is said. */
export const SCHEMA = "tackle";
export const STATEMENT_TIMEOUT_MS = 15_000;

/** A bounded pool of connections that see our schema alone. Connects when it is first asked, and never throws by itself. */
export function createPool({ url, schema, poolSize, statementTimeoutMs }: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: "tackle",
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: 3_600,
    keepAlive: true,
    // The server ends a statement that takes too long; this one is for a server that has gone silent.
    query_timeout: statementTimeoutMs + 5_000,
    onConnect: (client) => prepareSession(client, schema, statementTimeoutMs),
  });
  // A connection that dies while nobody uses it is replaced when the next one is wanted.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

async function prepareSession(
  client: Pick<PoolClient, "query">,
  schema: string,
  statementTimeoutMs: number,
): Promise<void> {
  // As statements, not as parameters of the start: poolers between us and the server refuse those.
  await client.query(
    `SELECT set_config('search_path', $1, false), set_config('statement_timeout', $2, false),
       set_config('idle_in_transaction_session_timeout', $2, false)`,
    [quoted(schema), String(statementTimeoutMs)],
  );
}
