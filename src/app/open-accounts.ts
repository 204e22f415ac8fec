import { join } from "node:path";
import type { EngineOptions } from "../accounts/engine.ts";
import type { Accounts } from "../protocol/accounts.ts";
import { loadOptional } from "../protocol/optional-package.ts";
import type { AuthMethod } from "../protocol/principal.ts";
import type { Config } from "./config.ts";
import type { Tackle } from "./tackle.ts";

export interface OpenedAccounts {
  accounts?: Accounts;
  authMethods: AuthMethod[];
  close(): Promise<void>;
}

/** Opens the accounts of a server that has them. Loaded only then, so that a local server starts faster. */
export async function openAccounts({ config, store, ...tackle }: Tackle): Promise<OpenedAccounts> {
  if (config.auth === "none") return { authMethods: [], close: async () => {} };
  const [{ openEngine }, { createDirectory }, { createAccounts }, { authMethods }, { createJwtReader }] =
    await loadOptional(
      "A server with accounts",
      Promise.all([
        import("../accounts/engine.ts"),
        import("../accounts/directory.ts"),
        import("../accounts/accounts.ts"),
        import("../accounts/auth-methods.ts"),
        import("../accounts/jwt.ts"),
      ]),
    );
  const { jwt } = config;
  if (jwt.secret !== undefined && jwt.secret.length < 32)
    tackle.log.warn(
      "TACKLE_JWT_SECRET is shorter than 32 characters: anyone who guesses it can sign in as anybody",
    );
  if (jwt.audience === undefined && jwt.secret !== undefined)
    tackle.log.warn(
      "TACKLE_JWT_AUDIENCE is not set: tokens that are meant for other services are accepted too",
    );
  if (jwt.audience === undefined && jwt.jwksUrl !== undefined)
    tackle.log.warn(
      "TACKLE_JWT_AUDIENCE is not set, so no outside tokens are accepted: set it, or * for any audience",
    );
  const readJwt = jwt.secret === undefined && jwt.jwksUrl === undefined ? undefined : createJwtReader(jwt);
  const directory = createDirectory(
    await openEngine({
      database: await accountsDatabase(config),
      secret: tackle.keyFor("account sessions").toString("base64url"),
    }),
  );
  const { suspensions, personalSettings } = tackle;
  const accounts = createAccounts({
    store,
    directory,
    suspensions,
    personalSettings,
    signUp: config.signUp,
    // Derived, so that all instances of a server have the same without storing it.
    setUpToken: tackle.keyFor("set-up token").toString("base64url").slice(0, 24),
    passkeyKey: tackle.keyFor("passkeys"),
    ...(await mailing({ config, log: tackle.log })),
    ...(await providing({ config, log: tackle.log, keyFor: tackle.keyFor })),
    removeOutside: tackle.removeHomes,
    onRemoved(userId) {
      tackle.audit.note({ actor: "system", action: "erasure.done", subject: { kind: "account", userId } });
      void tackle.files.tidy();
    },
  });
  await accounts.finishRemovals();
  return {
    accounts,
    authMethods: authMethods(directory, readJwt),
    close: directory.close,
  };
}

/** Mail can be sent if a mail server is set; the settings then name the address that people use. */
async function mailing({ config: { smtp, publicUrl }, log }: Pick<Tackle, "config" | "log">) {
  if (!smtp || publicUrl === undefined) return {};
  const [{ createResetMail }, { createSmtpSender }] = await Promise.all([
    import("../accounts/reset-mail.ts"),
    import("../contain/smtp.ts"),
  ]);
  const onFailure = (why: string) => log.warn({ why }, "a mail for a new password could not be sent");
  return { mailReset: createResetMail({ send: createSmtpSender(smtp), publicUrl, onFailure }) };
}

/** Whatever the provider names as its addresses, only those on the public internet and its own host are asked. */
async function providing({ config, log, keyFor }: Pick<Tackle, "config" | "log" | "keyFor">) {
  const { oidc, fetchAllow } = config;
  if (!oidc) return {};
  const [{ createOidcClient }, { containedFetch }, { hostAndPort }] = await Promise.all([
    import("../accounts/oidc.ts"),
    import("../contain/fetch.ts"),
    import("../contain/fetch-url.ts"),
  ]);
  const allow = [...fetchAllow, hostAndPort(new URL(oidc.issuer))];
  const client = createOidcClient({
    ...oidc,
    async request(url, { form, headers } = {}) {
      const { status, body } = await containedFetch(url, {
        allow,
        headers: { accept: "application/json", ...headers },
        requestBody: form,
        maxBytes: MAX_PROVIDER_BYTES,
        maxRedirects: 0,
        totalMs: PROVIDER_MS,
      });
      return { status, body: new TextDecoder().decode(body) };
    },
  });
  const provider = {
    name: oidc.name,
    client,
    key: keyFor("provider sign-in"),
    onFailure: (why: string) => log.warn({ why, issuer: oidc.issuer }, "a sign-in by the provider failed"),
  };
  return { provider };
}

const MAX_PROVIDER_BYTES = 500_000;
const PROVIDER_MS = 10_000;

/** A few connections are enough: a check reads at most one row. */
const POOL_SIZE = 4;

/** Accounts are stored in the same database as everything else. */
export async function accountsDatabase({
  databaseUrl,
  dataDir,
}: Pick<Config, "databaseUrl" | "dataDir">): Promise<EngineOptions["database"]> {
  if (databaseUrl === undefined) return { path: join(dataDir, "tackle.db") };
  const [{ createPool, SCHEMA, STATEMENT_TIMEOUT_MS }, { withSchemaLock }] = await Promise.all([
    import("../store/postgres/pool.ts"),
    import("../store/postgres/schema.ts"),
  ]);
  const pool = createPool({
    url: databaseUrl,
    schema: SCHEMA,
    poolSize: POOL_SIZE,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  return {
    pool,
    async withSchemaLock(work) {
      const client = await pool.connect();
      try {
        await withSchemaLock(client, SCHEMA, work);
      } finally {
        client.release();
      }
    },
  };
}
