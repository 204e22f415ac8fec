import { open } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { apiKey } from "@better-auth/api-key";
import { type BetterAuthOptions, betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { bearer } from "better-auth/plugins";
import type { Pool } from "pg";
import { API_KEY_PREFIX } from "../protocol/accounts.ts";
import { passkeyTable } from "./passkey-rows.ts";

export interface EngineOptions {
  /** The file of the embedded database, or connections to the shared one. */
  database: { path: string } | SharedDatabase;
  /** Signs sessions. */
  secret: string;
}

export interface SharedDatabase {
  pool: Pool;
  /** Runs the work while no other instance changes the tables. */
  withSchemaLock(work: () => Promise<void>): Promise<void>;
}

export const SESSION_SECONDS = 30 * 24 * 60 * 60;

/** Opens better-auth, and creates its tables if they are missing. */
export function openEngine({ database, secret }: EngineOptions) {
  return "path" in database ? openEmbedded(database.path, secret) : openShared(database, secret);
}

/**
 * Uses a second connection to the embedded database. It runs single statements outside of transactions, so neither
 * connection holds a lock while the other one waits on the same thread.
 */
async function openEmbedded(path: string, secret: string) {
  const connection = new DatabaseSync(path, { timeout: 5_000 });
  try {
    // The last use of an API key need not be durable; `sync` waits for what must be. The store checkpoints the log, in a thread of
    // its own: here, a checkpoint of what everybody has written would hold up the event loop.
    connection.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON",
    );
    const options = optionsOn(connection, secret);
    const { runMigrations } = await getMigrations(options);
    await runMigrations();
    return await engineOn(options, {
      sync: () => syncLog(path),
      withSchemaLock: (work) => work(),
      close: async () => connection.close(),
    });
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

/** A commit is durable once the write-ahead log is on disk. */
async function syncLog(path: string): Promise<void> {
  const log = await open(`${path}-wal`, "r+");
  try {
    await log.datasync();
  } finally {
    await log.close();
  }
}

async function openShared({ pool, withSchemaLock }: SharedDatabase, secret: string) {
  try {
    const options = optionsOn(pool, secret);
    await withSchemaLock(async () => {
      const { runMigrations } = await getMigrations(options);
      await runMigrations();
    });
    return await engineOn(options, { sync: async () => {}, withSchemaLock, close: () => pool.end() });
  } catch (thrown) {
    await pool.end();
    throw thrown;
  }
}

interface Connection {
  /** Resolves when everything so far is on disk. */
  sync(): Promise<void>;
  /** Runs the work while no other process on the same database does. */
  withSchemaLock(work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

async function engineOn(options: ReturnType<typeof optionsOn>, connection: Connection) {
  const auth = betterAuth(options);
  const { adapter, internalAdapter, password, secret } = await auth.$context;
  return { api: auth.api, adapter, internalAdapter, password, secret, ...connection };
}

export type Engine = Awaited<ReturnType<typeof openEngine>>;

function optionsOn(database: DatabaseSync | Pool, secret: string) {
  return {
    database,
    secret,
    // Its router is not used, only its functions.
    baseURL: "http://localhost",
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // Its log contains email addresses.
    logger: { disabled: true },
    emailAndPassword: { enabled: true, minPasswordLength: 8, maxPasswordLength: 128 },
    user: {
      modelName: "auth_users",
      additionalFields: { role: { type: "string", input: false, defaultValue: "user" } },
    },
    session: { modelName: "auth_sessions", expiresIn: SESSION_SECONDS, updateAge: 24 * 60 * 60 },
    account: { modelName: "auth_accounts" },
    verification: { modelName: "auth_verifications" },
    plugins: [
      passkeyTable,
      bearer({ requireSignature: true }),
      apiKey({
        defaultPrefix: API_KEY_PREFIX,
        enableMetadata: true,
        startingCharactersConfig: { shouldStore: false },
        keyExpiration: { minExpiresIn: 1, maxExpiresIn: 3_650 },
        rateLimit: { enabled: false },
        schema: { apikey: { modelName: "auth_keys" } },
      }),
    ],
  } satisfies BetterAuthOptions;
}
