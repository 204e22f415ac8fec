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
import { parseRequest } from "../../protocol/requests.ts";
import type { LimitVerdict } from "../../protocol/store.ts";
import { clientAddress } from "../address.ts";
import { readJson, readOptionalJson } from "../body.ts";
import { authenticate, cookieText, credentialsOf } from "../caller.ts";
import type { Door, HttpContext, Route } from "../context.ts";
import { accountsOf, administrationOf } from "../dependencies.ts";
import { readUsage } from "../usage-report.ts";

/** The caller's own: who it is, its settings, its keys, and its end. */
export function meRoutes(door: Door): Route[] {
  return [
    { method: "GET", path: "/me", handle: async (c) => c.json(await describe(c, door)) },
    { method: "DELETE", path: "/me", handle: (c) => leave(c, door) },
    {
      method: "GET",
      path: "/me/settings",
      async handle(c) {
        const { id } = await authenticate(c, door);
        return c.json(await settingsOf(door).read(id));
      },
    },
    {
      method: "PUT",
      path: "/me/settings",
      async handle(c) {
        const request = parseRequest(settingsRequest, await readJson(c.req.raw, c.env?.incoming));
        const { id } = await authenticate(c, door);
        return c.json(await settingsOf(door).change(id, request));
      },
    },
    {
      method: "GET",
      path: "/me/vendors",
      async handle(c) {
        await authenticate(c, door);
        return c.json({ vendors: settingsOf(door).vendors });
      },
    },
    {
      method: "GET",
      path: "/me/usage",
      async handle(c) {
        const { id } = await authenticate(c, door);
        return c.json(await readUsage(c, administrationOf(door.deps), id));
      },
    },
    {
      method: "GET",
      path: "/me/keys",
      async handle(c) {
        const { id } = await member(c, door);
        return c.json({ keys: await accountsOf(door.deps).listKeys(id) });
      },
    },
    {
      method: "POST",
      path: "/me/keys",
      async handle(c) {
        const request = parseRequest(newKeyRequest, await readOptionalJson(c.req.raw, c.env?.incoming));
        const { id } = await keyholder(c, door);
        return c.json(await accountsOf(door.deps).createKey(id, request), 201);
      },
    },
    {
      method: "PATCH",
      path: "/me/keys/:id",
      async handle(c) {
        const request = parseRequest(keyRequest, await readJson(c.req.raw, c.env?.incoming));
        const { id } = await keyholder(c, door);
        return c.json(await accountsOf(door.deps).changeKey(id, c.req.param("id") ?? "", request));
      },
    },
    {
      method: "DELETE",
      path: "/me/keys/:id",
      async handle(c) {
        const { id } = await keyholder(c, door);
        await accountsOf(door.deps).revokeKey(id, c.req.param("id") ?? "");
        return c.body(null, 204);
      },
    },
  ];
}

async function describe(c: HttpContext, door: Door): Promise<Record<string, unknown>> {
  const { id, kind, role, key } = await authenticate(c, door);
  const { accounts, administration, limits } = door.deps;
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

async function leave(c: HttpContext, door: Door): Promise<Response> {
  const accounts = accountsOf(door.deps);
  const { password } = parseRequest(leaveRequest, await readJson(c.req.raw, c.env?.incoming));
  const principal = await member(c, door);
  // All that is open to this user is about to be cut; this answer is to be given still.
  if (c.env?.outgoing) door.deps.presence?.leave(c.env.outgoing);
  const address = clientAddress(c.env?.incoming, door.deps.config.trustProxy === true);
  await accounts.leave(principal, password, { address });
  c.header("set-cookie", cookieText(c, door, { name: SESSION_COOKIE, value: "", maxAge: 0 }));
  return c.body(null, 204);
}

/** The caller, if it has an account with us: not a guest, nor a user of an outside issuer. */
async function member(c: HttpContext, door: Door): Promise<Principal> {
  const accounts = accountsOf(door.deps);
  const principal = await authenticate(c, door);
  if (principal.kind === "account" && (await accounts.get(principal.id))) return principal;
  throw new Failure("FORBIDDEN", "This needs an account on this server. Sign up or sign in first.");
}

/** The caller, if it signed in itself: a key that fell into wrong hands must not make more of its kind. */
async function keyholder(c: HttpContext, door: Door): Promise<Principal> {
  const principal = await member(c, door);
  if (!credentialsOf(c).bearer?.startsWith(API_KEY_PREFIX)) return principal;
  throw new Failure("FORBIDDEN", "An API key cannot make or revoke keys. Sign in to do this.");
}

function settingsOf({ deps }: Door) {
  if (deps.personalSettings) return deps.personalSettings;
  throw new Failure("NOT_FOUND", "This server keeps no settings.");
}
