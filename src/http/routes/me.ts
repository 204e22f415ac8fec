import {
  API_KEY_PREFIX,
  keyRequest,
  leaveRequest,
  newKeyRequest,
  SESSION_COOKIE,
  settingsRequest,
} from "../../protocol/accounts.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { LimitVerdict } from "../../protocol/store.ts";
import { addressOf } from "../address.ts";
import { readOptionalRequest, readRequest } from "../body.ts";
import { authenticate, cookieText, credentialsOf } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route, type ServerState } from "../context.ts";
import { accountsOf, administrationOf } from "../dependencies.ts";
import { readUsage } from "../usage-report.ts";

/** The caller's own: who it is, its settings, its keys, and its end. */
export function meRoutes(server: ServerState): Route[] {
  return [
    route("GET /me", async (c) => c.json(await describe(c, server))),
    route("DELETE /me", (c) => leave(c, server)),
    route("GET /me/settings", async (c) => {
      const { id } = await authenticate(c, server);
      return c.json(await settingsOf(server).read(id));
    }),
    route("PUT /me/settings", async (c) => {
      const request = await readRequest(c, settingsRequest);
      const { id } = await authenticate(c, server);
      return c.json(await settingsOf(server).change(id, request));
    }),
    route("GET /me/vendors", async (c) => {
      await authenticate(c, server);
      return c.json({ vendors: settingsOf(server).vendors });
    }),
    route("GET /me/usage", async (c) => {
      const { id } = await authenticate(c, server);
      return c.json(await readUsage(c, administrationOf(server.deps), id));
    }),
    route("GET /me/keys", async (c) => {
      const { id } = await member(c, server);
      return c.json({ keys: await accountsOf(server.deps).listKeys(id) });
    }),
    route("POST /me/keys", async (c) => {
      const request = await readOptionalRequest(c, newKeyRequest);
      const { id } = await keyholder(c, server);
      return c.json(await accountsOf(server.deps).createKey(id, request), 201);
    }),
    route("PATCH /me/keys/:id", async (c) => {
      const request = await readRequest(c, keyRequest);
      const { id } = await keyholder(c, server);
      return c.json(await accountsOf(server.deps).changeKey(id, pathParameter(c, "id"), request));
    }),
    route("DELETE /me/keys/:id", async (c) => {
      const { id } = await keyholder(c, server);
      await accountsOf(server.deps).revokeKey(id, pathParameter(c, "id"));
      return c.body(null, 204);
    }),
  ];
}

async function describe(c: HttpContext, server: ServerState): Promise<Record<string, unknown>> {
  const { id, kind, role, key } = await authenticate(c, server);
  const { accounts, administration, limits } = server.deps;
  const account = kind === "account" ? await accounts?.get(id) : undefined;
  const chat = await limits.peekChat?.({ id, kind });
  const budget = await administration?.budgetOf({ id, kind });
  const counted = chat && { chat, ...(await administration?.toolLimits({ id, kind })) };
  return {
    id,
    kind,
    ...(role ? { role } : {}),
    ...(key ? { key: (await accounts?.listKeys(id))?.find((one) => one.id === key.id) } : {}),
    ...(account ? { email: account.email, name: account.name, createdAt: account.createdAt } : {}),
    ...(budget ? { budget } : {}),
    ...(counted ? { limits: Object.fromEntries(Object.entries(counted).map(toLimit)) } : {}),
  };
}

function toLimit([name, { limit, remaining, resetAt }]: [string, LimitVerdict]) {
  return [name, { limit, remaining, resetAt: new Date(resetAt).toISOString() }] as const;
}

async function leave(c: HttpContext, server: ServerState): Promise<Response> {
  const accounts = accountsOf(server.deps);
  const { password } = await readRequest(c, leaveRequest);
  const principal = await member(c, server);
  // All that is open to this user is about to be cut; this answer is to be given still.
  if (c.env?.outgoing) server.deps.presence?.leave(c.env.outgoing);
  const address = addressOf(c, server);
  await accounts.leave(principal, password, { address });
  c.header("set-cookie", cookieText(c, server, { name: SESSION_COOKIE, value: "", maxAge: 0 }));
  return c.body(null, 204);
}

/** The caller, if it has an account with us: not a guest, nor a user of an outside issuer. */
async function member(c: HttpContext, server: ServerState): Promise<Principal> {
  const accounts = accountsOf(server.deps);
  const principal = await authenticate(c, server);
  if (principal.kind === "account" && (await accounts.get(principal.id))) return principal;
  throw new Failure("FORBIDDEN", "This needs an account on this server. Sign up or sign in first.");
}

/** The caller, if it signed in itself: a key that fell into wrong hands must not make more of its kind. */
async function keyholder(c: HttpContext, server: ServerState): Promise<Principal> {
  const principal = await member(c, server);
  if (!credentialsOf(c).bearer?.startsWith(API_KEY_PREFIX)) return principal;
  throw new Failure("FORBIDDEN", "An API key cannot make or revoke keys. Sign in to do this.");
}

function settingsOf({ deps }: ServerState) {
  if (deps.personalSettings) return deps.personalSettings;
  throw new Failure("NOT_FOUND", "This server keeps no settings.");
}
