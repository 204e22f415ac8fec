import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { getCookie } from "hono/cookie";
import { SESSION_COOKIE } from "../protocol/accounts.ts";
import type { Chat } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import type { Client } from "../protocol/limits.ts";
import type { AuthMethod, Credentials, Principal } from "../protocol/principal.ts";
import { isLoopback, isVersionOne } from "./address.ts";
import type { HttpContext } from "./context.ts";
import { storedBytesOf } from "./guest-traffic.ts";
import { isEncrypted } from "./own-origin.ts";
import { checkScope } from "./scopes.ts";

const YEAR_SECONDS = 31_536_000;
const FORWARDED = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/** Identifies the caller. A new guest gets its token with the response. Throws UNAUTHORIZED. */
export async function authenticate(c: HttpContext): Promise<Principal> {
  return acceptCaller(c, await identify(c));
}

/** The chat of the caller. Throws UNAUTHORIZED. */
export async function chatOf(c: HttpContext): Promise<Chat> {
  const server = c.get("server");
  return server.deps.chatFor(await authenticate(c));
}

/** The first step of `authenticate`, for routes that check limits before the second. A request is identified once. */
export function identify(c: HttpContext): Promise<Identified> {
  const known = c.get("identified");
  if (known) return known;
  const identified = identifyNow(c);
  c.set("identified", identified);
  return identified;
}

async function identifyNow(c: HttpContext): Promise<Identified> {
  const server = c.get("server");
  const credentials = credentialsOf(c);
  let identified: Identified;
  try {
    identified = await server.deps.identity.identify(credentials);
  } catch (thrown) {
    // Scripts cannot remove an invalid cookie, so it would lock the browser out forever.
    const name =
      credentials.bearer === undefined && credentials.cookie(SESSION_COOKIE) ? SESSION_COOKIE : GUEST_COOKIE;
    const isRefused = thrown instanceof Failure && thrown.code === "UNAUTHORIZED";
    if (isRefused && credentials.cookie(name) !== undefined) setCookie(c, { name, value: "", maxAge: 0 });
    throw thrown;
  }
  const { principal } = identified;
  c.set("caller", principal);
  if (principal.kind === "guest") server.guestTraffic.take(addressOf(c), storedBytesOf(c));
  // The owner of the machine cannot be suspended.
  if (principal.kind !== "owner") {
    // Enter before the check, so that a suspension in between is caught by one of the two.
    if (c.env?.outgoing) server.deps.presence?.enter(principal.id, c.env.outgoing);
    await server.deps.admit?.(principal);
  }
  if (principal.key) checkScope(principal.key, c.req.method, c.get("route"));
  return identified;
}

/** The second step of `authenticate`: hands a new guest its token. */
export function acceptCaller(c: HttpContext, { principal, guestToken }: Identified): Principal {
  if (guestToken !== undefined) {
    setCookie(c, { name: GUEST_COOKIE, value: guestToken, maxAge: YEAR_SECONDS });
    c.get("headers")["x-tackle-guest"] = guestToken;
  }
  return principal;
}

/** The credentials of a request. */
export function credentialsOf(c: HttpContext): Credentials {
  const authorization = c.req.header("authorization");
  return {
    bearer: authorization === undefined ? keyOf(c) : (/^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ""),
    cookie: (name) => getCookie(c, name),
  };
}

/** Clients of Anthropic and Azure send their key in its own header. */
function keyOf(c: HttpContext): string | undefined {
  return isVersionOne(c.req.path) ? (c.req.header("x-api-key") ?? c.req.header("api-key")) : undefined;
}

interface Cookie {
  name: string;
  value: string;
  /** In seconds; 0 removes it. */
  maxAge: number;
}

/** A cookie that scripts cannot read and that is not sent with requests from other sites, except links. */
export function cookieText(c: HttpContext, { name, value, maxAge }: Cookie): string {
  const secure = isEncrypted(c) ? "; Secure" : "";
  return `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

function setCookie(c: HttpContext, cookie: Cookie): void {
  c.get("headers")["set-cookie"] = cookieText(c, cookie);
}

/** Where a request comes from, as the limits count it. */
export function clientOf(c: HttpContext, { principal, guestToken }: Identified): Client {
  const guest = principal.kind !== "guest" ? undefined : guestToken === undefined ? "known" : "new";
  return { address: addressOf(c), guest };
}

/** The caller's address as the limits count it. */
export function addressOf(c: HttpContext): string {
  return clientAddress(c.env?.incoming, c.get("server").deps.config.trustProxy === true);
}

/** True if the request was sent on this machine. What a proxy forwards came from elsewhere. */
export function isFromThisMachine(c: HttpContext): boolean {
  const incoming = c.env?.incoming;
  // A program that embeds the server passes requests on without their connection.
  if (!incoming) return c.get("server").deps.config.auth === "none";
  const { headers, socket } = incoming;
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  return isLoopback(socket.remoteAddress?.replace(/^::ffff:/i, "") ?? "");
}

/** The address of a Node request as the limits count it. Forwarded addresses are used only behind a trusted proxy. */
export function clientAddress(incoming: IncomingMessage | undefined, trustProxy: boolean): string {
  const forwarded = trustProxy ? incoming?.headers["x-forwarded-for"] : undefined;
  // Each proxy appends the address it saw, so the last entry comes from ours.
  const nearest = String(forwarded ?? "")
    .split(",")
    .at(-1)
    ?.trim();
  return networkOf(nearest || incoming?.socket.remoteAddress || "unknown");
}

/** An IPv6 customer usually has a whole /64, so it counts as one address. */
function networkOf(written: string): string {
  const address = withoutPort(written);
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.toLowerCase().split("%")[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail ? tail.split(":") : [];
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  return `${[...left, ...zeros, ...right].slice(0, 4).join(":")}::/64`;
}

export interface Identified {
  principal: Principal;
  /** The token of a guest that was created for this request. */
  guestToken?: string;
}

export interface Identity {
  /** Identifies the caller. Throws UNAUTHORIZED for missing, malformed or forged credentials. */
  identify(credentials: Credentials): Promise<Identified>;
  /** The guest of the request's token. Does not create one. */
  guestIn(credentials: Credentials): Principal | undefined;
}

export interface IdentityOptions {
  auth: "none" | "guest" | "required";
  /** Signs guest tokens. At least 32 bytes, the same after a restart. */
  guestSecret: string | Uint8Array;
  /** Tried in order, before guests. A method throws UNAUTHORIZED for credentials of its kind that are not valid. */
  authMethods?: readonly AuthMethod[];
}

export const GUEST_COOKIE = "tackle_guest";
const GUEST_TOKEN = /^(guest_[A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/** Identifies callers by the server's settings. */
export function createIdentity({ auth, guestSecret, authMethods = [] }: IdentityOptions): Identity {
  return {
    async identify(credentials) {
      if (auth === "none") return { principal: { id: "local", kind: "owner" } };
      for (const method of authMethods) {
        const principal = await method(credentials);
        if (principal) return { principal };
      }
      const token = credentials.bearer ?? credentials.cookie(GUEST_COOKIE);
      if (auth === "required") throw refused(token === undefined);
      if (token === undefined) return newGuest(guestSecret);
      const id = readGuestToken(token, guestSecret);
      if (id === undefined) throw refused(false);
      return { principal: { id, kind: "guest" } };
    },
    guestIn(credentials) {
      const token = credentials.bearer?.startsWith("guest_")
        ? credentials.bearer
        : credentials.cookie(GUEST_COOKIE);
      const id = auth === "guest" && token !== undefined ? readGuestToken(token, guestSecret) : undefined;
      return id === undefined ? undefined : { id, kind: "guest" };
    },
  };
}

function refused(missing: boolean): Failure {
  return missing
    ? new Failure("UNAUTHORIZED", "Sign in to use this server.")
    : new Failure(
        "UNAUTHORIZED",
        "These credentials are not valid here. Sign in again, or send none to start as a guest.",
      );
}

function newGuest(secret: string | Uint8Array): Identified {
  const id = `guest_${randomBytes(16).toString("base64url")}`;
  return { principal: { id, kind: "guest" }, guestToken: `${id}.${sign(id, secret).toString("base64url")}` };
}

function readGuestToken(token: string, secret: string | Uint8Array): string | undefined {
  const [, id, signature] = GUEST_TOKEN.exec(token) ?? [];
  if (id === undefined || signature === undefined) return undefined;
  return timingSafeEqual(Buffer.from(signature, "base64url"), sign(id, secret)) ? id : undefined;
}

function sign(id: string, secret: string | Uint8Array): Buffer {
  return createHmac("sha256", secret).update(`tackle guest ${id}`).digest();
}

/** Some proxies add the port, which is another one for each connection: `192.0.2.1:50123`, `[2001:db8::1]:50123`. */
function withoutPort(address: string): string {
  const [, v4, v6] = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[([^\]]+)\](?::\d+)?)$/.exec(address) ?? [];
  return v4 ?? v6 ?? address;
}
