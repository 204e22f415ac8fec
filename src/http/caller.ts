import { getCookie } from "hono/cookie";
import { SESSION_COOKIE } from "../protocol/accounts.ts";
import type { Principal } from "../protocol/principal.ts";
import type { HttpContext, ServerState } from "./context.ts";
import { type Credentials, GUEST_COOKIE, type Identified } from "./identity.ts";

const YEAR_SECONDS = 31_536_000;

/** Who is asking; a new guest's token goes out with the answer. Throws UNAUTHORIZED. */
export async function authenticate(c: HttpContext, server: ServerState): Promise<Principal> {
  const identified = await identify(c, server);
  return acceptCaller(c, server, identified);
}

/** The same in two steps, for the route that counts its limits in between. */
export async function identify(c: HttpContext, server: ServerState): Promise<Identified> {
  const credentials = credentialsOf(c);
  let identified: Identified;
  try {
    identified = await server.deps.identity.identify(credentials);
  } catch (thrown) {
    // A cookie that no longer holds would lock its browser out for good: scripts cannot remove it.
    const name =
      credentials.bearer === undefined && credentials.cookie(SESSION_COOKIE) ? SESSION_COOKIE : GUEST_COOKIE;
    if (credentials.cookie(name) !== undefined) setCookie(c, server, { name, value: "", maxAge: 0 });
    throw thrown;
  }
  // In this order: whoever is shut out in between is either seen here or not admitted.
  if (c.env?.outgoing) server.deps.presence?.enter(identified.principal.id, c.env.outgoing);
  await server.deps.admit?.(identified.principal);
  return identified;
}

/** Lets an identified caller in. */
export function acceptCaller(
  c: HttpContext,
  server: ServerState,
  { principal, guestToken }: Identified,
): Principal {
  if (guestToken !== undefined) {
    setCookie(c, server, { name: GUEST_COOKIE, value: guestToken, maxAge: YEAR_SECONDS });
    c.var.headers["x-tackle-guest"] = guestToken;
  }
  return principal;
}

/** What the request shows to say who it is from. */
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

/** A cookie that no script can read and no other site can make a browser send along with a change. */
export function cookieText(c: HttpContext, server: ServerState, { name, value, maxAge }: Cookie): string {
  const { trustProxy } = server.deps.config;
  const encrypted = trustProxy === true && c.req.header("x-forwarded-proto") === "https";
  const secure = encrypted ? "; Secure" : "";
  return `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

function setCookie(c: HttpContext, server: ServerState, cookie: Cookie): void {
  c.var.headers["set-cookie"] = cookieText(c, server, cookie);
}
