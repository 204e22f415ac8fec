import { getCookie } from "hono/cookie";
import { SESSION_COOKIE } from "../protocol/accounts.ts";
import type { Chat } from "../protocol/chat.ts";
import type { Principal } from "../protocol/principal.ts";
import type { HttpContext } from "./context.ts";
import { type Credentials, GUEST_COOKIE, type Identified } from "./identity.ts";

const YEAR_SECONDS = 31_536_000;

/** Identifies the caller. A new guest gets its token with the response. Throws UNAUTHORIZED. */
export async function authenticate(c: HttpContext): Promise<Principal> {
  return acceptCaller(c, await identify(c));
}

/** The chat of the caller. Throws UNAUTHORIZED. */
export async function chatOf(c: HttpContext): Promise<Chat> {
  const server = c.get("server");
  return server.deps.chatFor(await authenticate(c));
}

/** The first step of `authenticate`, for routes that check limits before the second. */
export async function identify(c: HttpContext): Promise<Identified> {
  const server = c.get("server");
  const credentials = credentialsOf(c);
  let identified: Identified;
  try {
    identified = await server.deps.identity.identify(credentials);
  } catch (thrown) {
    // Scripts cannot remove an invalid cookie, so it would lock the browser out forever.
    const name =
      credentials.bearer === undefined && credentials.cookie(SESSION_COOKIE) ? SESSION_COOKIE : GUEST_COOKIE;
    if (credentials.cookie(name) !== undefined) setCookie(c, { name, value: "", maxAge: 0 });
    throw thrown;
  }
  // Enter before the check, so that a suspension in between is caught by one of the two.
  if (c.env?.outgoing) server.deps.presence?.enter(identified.principal.id, c.env.outgoing);
  await server.deps.admit?.(identified.principal);
  return identified;
}

/** The second step of `authenticate`: hands a new guest its token. */
export function acceptCaller(c: HttpContext, { principal, guestToken }: Identified): Principal {
  if (guestToken !== undefined) {
    setCookie(c, { name: GUEST_COOKIE, value: guestToken, maxAge: YEAR_SECONDS });
    c.var.headers["x-tackle-guest"] = guestToken;
  }
  return principal;
}

/** The credentials of a request. */
export function credentialsOf(c: HttpContext): Credentials {
  const authorization = c.req.header("authorization");
  return {
    bearer: authorization === undefined ? undefined : (/^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ""),
    cookie: (name) => getCookie(c, name),
  };
}

interface Cookie {
  name: string;
  value: string;
  /** In seconds; 0 removes it. */
  maxAge: number;
}

/** A cookie that scripts cannot read and that is not sent with requests from other sites, except links. */
export function cookieText(c: HttpContext, { name, value, maxAge }: Cookie): string {
  const server = c.get("server");
  const { trustProxy } = server.deps.config;
  const encrypted = trustProxy === true && c.req.header("x-forwarded-proto") === "https";
  const secure = encrypted ? "; Secure" : "";
  return `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

function setCookie(c: HttpContext, cookie: Cookie): void {
  c.var.headers["set-cookie"] = cookieText(c, cookie);
}
