import {
  keyCheckRequest,
  keyRequest,
  leaveRequest,
  meRequest,
  newKeyRequest,
  SESSION_COOKIE,
  type SettingsRequest,
  settingsRequest,
} from "../../protocol/accounts.ts";
import { Failure } from "../../protocol/failure.ts";
import { ATTACHABLE_TYPES } from "../../protocol/file-type.ts";
import { MAX_ATTACHMENTS, MAX_MESSAGE_CHARACTERS } from "../../protocol/message-limits.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { LimitVerdict } from "../../protocol/store.ts";
import { type AuditHint, aboutAct } from "../audited.ts";
import { readOptionalRequest, readRequest } from "../body.ts";
import { addressOf, authenticate, cookieText, credentialsOf } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import { accountsOf, administrationOf } from "../dependencies.ts";
import { readUsage } from "../usage-report.ts";
import { checkFeeds } from "./my-events.ts";

/** The caller's account, settings, usage and API keys. */
export function meRoutes(): Route[] {
  return [
    route("GET /me", async (c) => c.json(await describe(c))),
    route("DELETE /me", leave),
    route("PATCH /me", async (c) => {
      const { name } = await readRequest(c, meRequest);
      const { id } = await member(c);
      await accountsOf(c).rename(id, name);
      return c.json(await describe(c));
    }),
    route("GET /me/devices", async (c) => {
      const { id, key } = await member(c);
      const { bearer, cookie } = credentialsOf(c);
      const token = key ? undefined : (bearer ?? cookie(SESSION_COOKIE));
      return c.json({ devices: await accountsOf(c).listDevices(id, token) });
    }),
    route("DELETE /me/devices/:id", async (c) => {
      const { id } = await member(c);
      await accountsOf(c).endDevice(id, pathParameter(c, "id"));
      await checkFeeds(c.get("server"), id);
      return c.body(null, 204);
    }),
    route("GET /me/settings", async (c) => {
      const { id } = await authenticate(c);
      return c.json(await settingsOf(c).read(id));
    }),
    route("PUT /me/settings", async (c) => {
      const request = await readRequest(c, settingsRequest);
      const { id } = await authenticate(c);
      const settings = await settingsOf(c).change(id, request);
      aboutAct(c, changedNames(request));
      return c.json(settings);
    }),
    route("GET /me/vendors", async (c) => {
      return c.json({ vendors: await settingsOf(c).listVendors(await authenticate(c)) });
    }),
    route("POST /me/vendors/:id/check", async (c) => {
      const { key } = await readOptionalRequest(c, keyCheckRequest);
      const { id } = await authenticate(c);
      return c.json(await settingsOf(c).checkKey(id, pathParameter(c, "id"), key));
    }),
    route("GET /me/usage", async (c) => {
      const { id } = await authenticate(c);
      return c.json(await readUsage(c, administrationOf(c), id));
    }),
    route("GET /me/keys", async (c) => {
      const { id } = await member(c);
      return c.json({ keys: await accountsOf(c).listKeys(id) });
    }),
    route("POST /me/keys", async (c) => {
      const request = await readOptionalRequest(c, newKeyRequest);
      const { id } = await member(c);
      const key = await accountsOf(c).createKey(id, request);
      aboutAct(c, { subject: { target: key.id, scopes: key.scopes?.join(",") } });
      return c.json(key, 201);
    }),
    route("PATCH /me/keys/:id", async (c) => {
      const request = await readRequest(c, keyRequest);
      const { id } = await member(c);
      return c.json(await accountsOf(c).changeKey(id, pathParameter(c, "id"), request));
    }),
    route("DELETE /me/keys/:id", async (c) => {
      const { id } = await member(c);
      await accountsOf(c).revokeKey(id, pathParameter(c, "id"));
      return c.body(null, 204);
    }),
  ];
}

async function describe(c: HttpContext): Promise<Record<string, unknown>> {
  const server = c.get("server");
  const { id, kind, role, key } = await authenticate(c);
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
    ...(account
      ? {
          email: account.email,
          name: account.name,
          createdAt: account.createdAt,
          hasPassword: await accounts?.hasPassword(id),
        }
      : {}),
    ...(budget ? { budget } : {}),
    accepts: {
      characters: MAX_MESSAGE_CHARACTERS,
      files: MAX_ATTACHMENTS,
      fileBytes: server.deps.files?.maxBytes ?? 0,
      fileTypes: ATTACHABLE_TYPES,
    },
    ...(counted ? { limits: Object.fromEntries(Object.entries(counted).map(toLimit)) } : {}),
  };
}

function toLimit([name, { limit, remaining, resetAt }]: [string, LimitVerdict]) {
  return [name, { limit, remaining, resetAt: new Date(resetAt).toISOString() }] as const;
}

async function leave(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const accounts = accountsOf(c);
  const { password } = await readRequest(c, leaveRequest);
  const principal = await member(c);
  // All connections of the user are about to be closed, except this one.
  if (c.env?.outgoing) server.deps.presence?.leave(c.env.outgoing);
  const { bearer, cookie } = credentialsOf(c);
  const proof = { password, token: bearer ?? cookie(SESSION_COOKIE) };
  await accounts.leave(principal, proof, { address: addressOf(c) });
  c.header("set-cookie", cookieText(c, { name: SESSION_COOKIE, value: "", maxAge: 0 }));
  return c.body(null, 204);
}

/** Names alone: values may be anything, and keys are secret. */
function changedNames({ settings, keys }: SettingsRequest): AuditHint {
  const [names, vendors] = [settings, keys].map((values) => Object.keys(values).join(",") || undefined);
  const isStored = Object.values(keys).some((key) => key !== null);
  const subject = { names, vendors };
  if (vendors === undefined) return { subject };
  return { action: isStored ? "credential.stored" : "credential.removed", subject };
}

/** The caller, if it has an account on this server. Throws FORBIDDEN for guests and external users. */
export async function member(c: HttpContext): Promise<Principal> {
  const accounts = accountsOf(c);
  const principal = await authenticate(c);
  if (principal.kind === "account" && (await accounts.get(principal.id))) return principal;
  throw new Failure("FORBIDDEN", "This needs an account on this server. Sign up or sign in first.");
}

function settingsOf(c: HttpContext) {
  const { deps } = c.get("server");
  if (deps.personalSettings) return deps.personalSettings;
  throw new Failure("NOT_FOUND", "This server does not store settings.");
}
