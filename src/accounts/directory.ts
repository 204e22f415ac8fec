import { createHash, randomBytes } from "node:crypto";
import type { Where } from "better-auth";
import { APIError } from "better-auth/api";
import {
  type Account,
  type ApiKey,
  DEFAULT_SCOPES,
  type Device,
  type KeyRequest,
  type NewKeyRequest,
  type Role,
  type SignedIn,
} from "../protocol/accounts.ts";
import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import { type Engine, SESSION_SECONDS } from "./engine.ts";
import { linkedAccounts } from "./linked-accounts.ts";
import { passkeyRows } from "./passkey-rows.ts";
import type { KeyRow, UserRow } from "./rows.ts";
import { asPrincipal, metadataOf, toAccount, toApiKey, toDevice } from "./rows.ts";

const RESET_MS = 3_600_000;

/** Creates the directory of accounts: passwords, sessions and API keys. It knows nothing about suspensions, limits or guests. */
export function createDirectory(engine: Engine) {
  const { api, adapter, internalAdapter, password } = engine;

  async function get(id: string): Promise<Account | undefined> {
    const user = await internalAdapter.findUserById(id);
    return user ? toAccount(user) : undefined;
  }

  async function setRole(id: string, role: Role): Promise<void> {
    await internalAdapter.updateUser(id, { role });
    await engine.sync();
  }

  const linked = linkedAccounts(engine);

  return withOutages({
    ...linked,
    ...passkeyRows(engine),
    get,
    setRole,
    count: (query?: string) => internalAdapter.countTotalUsers(containing(query)),
    async countAdministrators(): Promise<number> {
      return internalAdapter.countTotalUsers([{ field: "role", value: "admin" }]);
    },
    async list(page: { limit: number; offset: number; query?: string }): Promise<Account[]> {
      const { limit, offset, query } = page;
      const sortBy = { field: "createdAt", direction: "asc" } as const;
      return (await internalAdapter.listUsers(limit, offset, sortBy, containing(query))).map(toAccount);
    },

    /** Throws CONFLICT if the email address is taken. */
    async signUp(
      request: { email: string; password: string; name: string },
      role: Role,
      agent?: string,
    ): Promise<SignedIn> {
      const { response, headers } = await withFailures(() =>
        api.signUpEmail({ body: request, headers: agentHeaders(agent), returnHeaders: true }),
      );
      // Only an administrator, or somebody with the set-up token, can make an administrator.
      if (role === "admin") {
        await setRole(response.user.id, role);
        await linked.vouchFor(response.user.id);
      }
      await engine.sync();
      return signedIn({ ...response.user, role }, headers);
    },

    /** Returns undefined for a wrong password and for an unknown address, after the same amount of work. */
    async signIn(
      request: { email: string; password: string },
      agent?: string,
    ): Promise<SignedIn | undefined> {
      try {
        const { response, headers } = await api.signInEmail({
          body: request,
          headers: agentHeaders(agent),
          returnHeaders: true,
        });
        await engine.sync();
        return signedIn(response.user, headers);
      } catch (thrown) {
        if (thrown instanceof APIError && thrown.status === "UNAUTHORIZED") return undefined;
        throw thrown;
      }
    },
    async signOut(token: string): Promise<void> {
      const { session } = (await sessionOf(token)) ?? {};
      if (session) await internalAdapter.deleteSession(session.token);
      await engine.sync();
    },
    async checkPassword(id: string, given: string): Promise<boolean> {
      const accounts = await internalAdapter.findAccounts(id);
      const hash = accounts.find(({ providerId }) => providerId === "credential")?.password;
      return hash ? password.verify({ hash, password: given }) : false;
    },
    /** Ends all sessions too. Returns false if there is no such user. */
    async setPassword(id: string, given: string): Promise<boolean> {
      if (!(await get(id))) return false;
      await linked.writePassword(id, given);
      await internalAdapter.deleteUserSessions(id);
      await engine.sync();
      return true;
    },
    async bySession(token: string): Promise<Principal | undefined> {
      const found = await sessionOf(token);
      return found ? asPrincipal(found.user) : undefined;
    },
    /** The principal has a role only if the key may administer the server. */
    async byKey(key: string): Promise<Principal | undefined> {
      const { valid, key: found } = await api.verifyApiKey({ body: { key } });
      // A key must not outlive its user, even if its row did. The library calls a key invalid too if the database is away,
      // so the database is asked in any case.
      const user = await get(found?.referenceId ?? "nobody");
      if (!valid || !found || !user) return undefined;
      const { budget, scopes } = metadataOf(found.metadata);
      const isAdmin = user.role === "admin" && scopes.includes("admin");
      const used = { id: found.id, scopes, budget };
      return { id: user.id, kind: "account", key: used, ...(isAdmin ? { role: "admin" } : {}) };
    },
    /** Removes the user with all keys, sessions and links. */
    async remove(id: string): Promise<void> {
      await endResets(id);
      await adapter.deleteMany({ model: "apikey", where: [{ field: "referenceId", value: id }] });
      await adapter.deleteMany({ model: "passkey", where: [{ field: "userId", value: id }] });
      await internalAdapter.deleteUser(id);
      await engine.sync();
    },

    async createKey(
      userId: string,
      { name, expiresInDays, budget, scopes = [...DEFAULT_SCOPES] }: NewKeyRequest,
    ): Promise<ApiKey & { key: string }> {
      const expiresIn = expiresInDays === undefined ? undefined : expiresInDays * 24 * 60 * 60;
      const made = await api.createApiKey({ body: { userId, name: name || "API key", expiresIn } });
      const metadata = { lastFour: made.key.slice(-4), scopes, budget };
      await api.updateApiKey({ body: { keyId: made.id, userId, metadata } });
      await engine.sync();
      return { ...toApiKey({ ...made, metadata }), key: made.key };
    },
    listKeys: async (userId: string): Promise<ApiKey[]> => (await findKeys(userId)).map(toApiKey),
    /** Returns undefined if the user has no such key. */
    async changeKey(
      userId: string,
      keyId: string,
      { name, budget }: KeyRequest,
    ): Promise<ApiKey | undefined> {
      const found = (await findKeys(userId)).find(({ id }) => id === keyId);
      if (!found) return undefined;
      const { budget: before, ...rest } = metadataOf(found.metadata);
      const after = budget === undefined ? before : (budget ?? undefined);
      const metadata = { ...rest, ...(after ? { budget: after } : {}) };
      await api.updateApiKey({ body: { keyId, userId, metadata, ...(name ? { name } : {}) } });
      await engine.sync();
      return toApiKey({ ...found, name: name ?? found.name, metadata });
    },
    /** Returns true if the key belonged to the user. */
    async revokeKey(userId: string, keyId: string): Promise<boolean> {
      const where = [
        { field: "id", value: keyId },
        { field: "referenceId", value: userId },
      ];
      const removed = await adapter.deleteMany({ model: "apikey", where });
      await engine.sync();
      return removed > 0;
    },
    async byEmail(email: string): Promise<Account | undefined> {
      const found = await internalAdapter.findUserByEmail(email);
      return found ? toAccount(found.user) : undefined;
    },
    async setName(id: string, name: string): Promise<void> {
      await internalAdapter.updateUser(id, { name });
      await engine.sync();
    },
    /** Returns a token with which the user can set a password once, within an hour. Earlier ones end. */
    async createReset(userId: string): Promise<string> {
      await endResets(userId);
      const token = randomBytes(32).toString("base64url");
      const expiresAt = new Date(Date.now() + RESET_MS);
      await internalAdapter.createVerificationValue({ identifier: hashOf(token), value: userId, expiresAt });
      await engine.sync();
      return token;
    },
    /** Returns the user of a token, which is used up. Undefined if it has expired or was used. */
    async takeReset(token: string): Promise<string | undefined> {
      const taken = await internalAdapter.consumeVerificationValue(hashOf(token));
      await engine.sync();
      return taken && new Date(taken.expiresAt).getTime() > Date.now() ? taken.value : undefined;
    },
    /** Returns for how many milliseconds the user has been signed in with this token. */
    async sessionAge(userId: string, token: string): Promise<number | undefined> {
      const { session } = (await sessionOf(token)) ?? {};
      return session?.userId === userId ? Date.now() - new Date(session.createdAt).getTime() : undefined;
    },
    /** Returns where the user is signed in, newest first. `token` is the caller's. */
    async listDevices(userId: string, token: string | undefined): Promise<Device[]> {
      const own = token === undefined ? undefined : (await sessionOf(token))?.session.id;
      const rows = await internalAdapter.listSessions(userId, { onlyActiveSessions: true });
      return rows
        .map((row) => toDevice(row, row.id === own))
        .sort((one, other) => other.lastUsedAt.localeCompare(one.lastUsedAt));
    },
    /** Signs the user out there. Returns false if it is not theirs. */
    async endDevice(userId: string, id: string): Promise<boolean> {
      const rows = await internalAdapter.listSessions(userId);
      const found = rows.find((row) => row.id === id);
      if (found) await internalAdapter.deleteSession(found.token);
      await engine.sync();
      return found !== undefined;
    },
    withSchemaLock: engine.withSchemaLock,
    close: engine.close,
  });

  async function endResets(userId: string): Promise<void> {
    await adapter.deleteMany({ model: "verification", where: [{ field: "value", value: userId }] });
  }

  async function findKeys(userId: string): Promise<KeyRow[]> {
    return adapter.findMany<KeyRow>({
      model: "apikey",
      where: [{ field: "referenceId", value: userId }],
      sortBy: { field: "createdAt", direction: "asc" },
    });
  }

  async function sessionOf(token: string) {
    return api.getSession({ headers: new Headers({ authorization: `Bearer ${token}` }) });
  }
}

export type Directory = ReturnType<typeof createDirectory>;

/** Returns the filter for users whose email address or name contains a text. */
function containing(query: string | undefined): Where[] | undefined {
  if (query === undefined) return undefined;
  const like = { operator: "contains", connector: "OR", mode: "insensitive" } as const;
  return [
    { field: "email", value: query.toLowerCase(), ...like },
    { field: "name", value: query, ...like },
  ];
}

/** Returns the signed token; the unsigned one in the database is not accepted. */
function signedIn(user: UserRow, headers: Headers): SignedIn {
  const token = headers.get("set-auth-token");
  if (!token) throw new Error("signing in returned no token");
  return { account: toAccount(user), token: decodeURIComponent(token), maxAge: SESSION_SECONDS };
}

/** Stored with the session, so that people recognize their devices. Nothing else of the request is. */
function agentHeaders(agent = ""): Headers {
  return new Headers({ "user-agent": agent });
}

/** A copy of the database must not let anybody set a password. */
function hashOf(token: string): string {
  return `reset ${createHash("sha256").update(token).digest("base64url")}`;
}

type Methods = Record<string, (...values: never[]) => Promise<unknown>>;

/** Returns the same methods. If one fails for a reason of the server's, the caller is told to try again. */
function withOutages<Of extends Methods>(methods: Of): Of {
  const wrapped = Object.entries(methods).map(([name, method]) => [
    name,
    (...values: never[]) =>
      method(...values).catch((thrown: unknown) => {
        if (thrown instanceof Failure || (thrown instanceof APIError && thrown.statusCode < 500))
          throw thrown;
        const sentence = "Accounts cannot be checked right now. Try again in a moment.";
        throw new Failure("RESOURCE_EXHAUSTED", sentence, { cause: thrown, retryable: true, retryAfter: 2 });
      }),
  ]);
  return Object.fromEntries(wrapped);
}

async function withFailures<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof APIError) || thrown.statusCode >= 500) throw thrown;
    const code = thrown.body?.code;
    if (code === "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL" || code === "USER_ALREADY_EXISTS")
      throw new Failure("CONFLICT", "An account with this email address already exists. Sign in instead.");
    throw new Failure("INVALID_INPUT", "The account could not be created with these values.", {
      cause: thrown,
    });
  }
}
