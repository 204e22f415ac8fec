import type { Where } from "better-auth";
import { APIError } from "better-auth/api";
import type { Account, ApiKey, KeyRequest, NewKeyRequest, Role, SignedIn } from "../protocol/accounts.ts";
import { Failure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";
import type { KeyBudget, Principal } from "../protocol/principal.ts";
import { type Engine, SESSION_SECONDS } from "./engine.ts";

/** Who has an account, and what they can show for it. Nothing here knows of suspensions, limits or guests. */
export function createDirectory(engine: Engine) {
  const { api, adapter, internalAdapter, password } = engine;

  async function get(id: string): Promise<Account | undefined> {
    const user = await internalAdapter.findUserById(id);
    return user ? toAccount(user) : undefined;
  }

  async function setRole(id: string, role: Role): Promise<void> {
    await internalAdapter.updateUser(id, { role });
    engine.settle();
  }

  return {
    get,
    setRole,
    count: (query?: string) => internalAdapter.countTotalUsers(holding(query)),
    async countAdministrators(): Promise<number> {
      return internalAdapter.countTotalUsers([{ field: "role", value: "admin" }]);
    },
    async list(page: { limit: number; offset: number; query?: string }): Promise<Account[]> {
      const { limit, offset, query } = page;
      const sortBy = { field: "createdAt", direction: "asc" } as const;
      return (await internalAdapter.listUsers(limit, offset, sortBy, holding(query))).map(toAccount);
    },

    /** Throws CONFLICT where the e-mail address is taken. */
    async signUp(request: { email: string; password: string; name: string }, role: Role): Promise<SignedIn> {
      const { response, headers } = await translated(() =>
        api.signUpEmail({ body: request, returnHeaders: true }),
      );
      if (role === "admin") await setRole(response.user.id, role);
      engine.settle();
      return signedIn({ ...response.user, role }, headers);
    },

    /** Undefined for a wrong password and for an unknown address alike, after the same work. */
    async signIn(request: { email: string; password: string }): Promise<SignedIn | undefined> {
      try {
        const { response, headers } = await api.signInEmail({ body: request, returnHeaders: true });
        engine.settle();
        return signedIn(response.user, headers);
      } catch (thrown) {
        if (thrown instanceof APIError && thrown.status === "UNAUTHORIZED") return undefined;
        throw thrown;
      }
    },
    async signOut(token: string): Promise<void> {
      const { session } = (await sessionOf(token)) ?? {};
      if (session) await internalAdapter.deleteSession(session.token);
      engine.settle();
    },
    async checkPassword(id: string, given: string): Promise<boolean> {
      const accounts = await internalAdapter.findAccounts(id);
      const hash = accounts.find(({ providerId }) => providerId === "credential")?.password;
      return hash ? password.verify({ hash, password: given }) : false;
    },
    /** Ends all sessions, too. False where there is no such user. */
    async setPassword(id: string, given: string): Promise<boolean> {
      if (!(await get(id))) return false;
      await internalAdapter.updatePassword(id, await password.hash(given));
      await internalAdapter.deleteUserSessions(id);
      engine.settle();
      return true;
    },
    async bySession(token: string): Promise<Principal | undefined> {
      const found = await sessionOf(token);
      return found ? asPrincipal(found.user) : undefined;
    },
    /** Without a role: what a key may do is use the server, not administer it. */
    async byKey(key: string): Promise<Principal | undefined> {
      const { valid, key: found } = await api.verifyApiKey({ body: { key } });
      // A key must not outlive its user, even where its row did.
      if (!valid || !found || !(await get(found.referenceId))) return undefined;
      const { budget } = metadataOf(found.metadata);
      return { id: found.referenceId, kind: "account", key: { id: found.id, ...(budget ? { budget } : {}) } };
    },
    /** The user and every way in. */
    async remove(id: string): Promise<void> {
      await adapter.deleteMany({ model: "apikey", where: [{ field: "referenceId", value: id }] });
      await internalAdapter.deleteUser(id);
      engine.settle();
    },

    async createKey(
      userId: string,
      { name, expiresInDays, budget }: NewKeyRequest,
    ): Promise<ApiKey & { key: string }> {
      const expiresIn = expiresInDays === undefined ? undefined : expiresInDays * 24 * 60 * 60;
      const made = await api.createApiKey({ body: { userId, name: name || "API key", expiresIn } });
      const metadata = { lastFour: made.key.slice(-4), ...(budget ? { budget } : {}) };
      await api.updateApiKey({ body: { keyId: made.id, userId, metadata } });
      engine.settle();
      return { ...toApiKey({ ...made, metadata }), key: made.key };
    },
    listKeys: async (userId: string): Promise<ApiKey[]> => (await findKeys(userId)).map(toApiKey),
    /** Undefined where the user has no such key. */
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
      engine.settle();
      return toApiKey({ ...found, name: name ?? found.name, metadata });
    },
    /** True where the key was the user's. */
    async revokeKey(userId: string, keyId: string): Promise<boolean> {
      const where = [
        { field: "id", value: keyId },
        { field: "referenceId", value: userId },
      ];
      const removed = await adapter.deleteMany({ model: "apikey", where });
      engine.settle();
      return removed > 0;
    },
    withSchemaLock: engine.withSchemaLock,
    close: engine.close,
  };

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

interface UserRow {
  id: string;
  email: string;
  name: string;
  createdAt: Date;
  role?: string | null;
}

interface KeyRow {
  id: string;
  name: string | null;
  metadata: unknown;
  createdAt: Date;
  expiresAt: Date | null;
  lastRequest: Date | null;
}

/** What better-auth is asked for to find users by a part of their e-mail address or name. */
function holding(query: string | undefined): Where[] | undefined {
  if (query === undefined) return undefined;
  const like = { operator: "contains", connector: "OR" } as const;
  return [
    { field: "email", value: query.toLowerCase(), ...like },
    { field: "name", value: query, ...like },
  ];
}

function toAccount({ id, email, name, createdAt, role }: UserRow): Account {
  return {
    id,
    email,
    name,
    role: role === "admin" ? "admin" : "user",
    createdAt: new Date(createdAt).toISOString(),
  };
}

function asPrincipal(user: UserRow): Principal {
  return { id: user.id, kind: "account", ...(user.role === "admin" ? { role: "admin" } : {}) };
}

function toApiKey({ id, name, metadata, createdAt, expiresAt, lastRequest }: KeyRow): ApiKey {
  const { lastFour, budget } = metadataOf(metadata);
  return {
    id,
    name: name ?? "",
    lastFour,
    createdAt: new Date(createdAt).toISOString(),
    ...(expiresAt ? { expiresAt: new Date(expiresAt).toISOString() } : {}),
    ...(lastRequest ? { lastUsedAt: new Date(lastRequest).toISOString() } : {}),
    ...(budget ? { budget } : {}),
  };
}

/** What we keep with a key, which is ours to write alone; some versions of the library hand it over as text. */
function metadataOf(kept: unknown): { lastFour: string; budget?: KeyBudget } {
  const value = typeof kept === "string" ? (JSON.parse(kept) as unknown) : kept;
  return { lastFour: "", ...(isObject(value) ? value : {}) };
}

/** The signed form of the token is what leaves us: what the database holds does not let anybody in. */
function signedIn(user: UserRow, headers: Headers): SignedIn {
  const token = headers.get("set-auth-token");
  if (!token) throw new Error("signing in gave no token");
  return { account: toAccount(user), token: decodeURIComponent(token), maxAge: SESSION_SECONDS };
}

async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof APIError)) throw thrown;
    const code = thrown.body?.code;
    if (code === "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL" || code === "USER_ALREADY_EXISTS")
      throw new Failure("CONFLICT", "There is an account with this e-mail address already. Sign in instead.");
    throw new Failure("INVALID_INPUT", "The account could not be made from this.", { cause: thrown });
  }
}
