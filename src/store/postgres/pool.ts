import { Pool, type PoolClient } from "pg";
import { quoted } from "./schema.ts";

export interface PoolOptions {
  url: string;
  /** The schema that belongs to Tackle. */
  schema: string;
  poolSize: number;
  statementTimeoutMs: number;
}

/** The default schema, and the default limit for one statement. */
export const SCHEMA = "tackle";
export const STATEMENT_TIMEOUT_MS = 15_000;

/** Creates a bounded pool of connections that see only our schema. The first query connects. */
export function createPool({ url, schema, poolSize, statementTimeoutMs }: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: "tackle",
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: 3_600,
    keepAlive: true,
    // The server cancels slow statements itself. This is for a server that stopped answering.
    query_timeout: statementTimeoutMs + 5_000,
    onConnect: (client) => prepareSession(client, schema, statementTimeoutMs),
  });
  // A connection that breaks while it is idle is replaced by the next query.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

async function prepareSession(
  client: Pick<PoolClient, "query">,
  schema: string,
  statementTimeoutMs: number,
): Promise<void> {
  // As a statement: some poolers refuse startup parameters.
  await client.query(
    `SELECT set_config('search_path', $1, false), set_config('statement_timeout', $2, false),
       set_config('idle_in_transaction_session_timeout', $2, false)`,
    [quoted(schema), String(statementTimeoutMs)],
  );
}
