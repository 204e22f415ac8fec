import { getCookie } from "hono/cookie";
import type { Principal } from "../protocol/principal.ts";
import type { Door, HttpContext } from "./context.ts";
import { type Credentials, GUEST_COOKIE, type Identified } from "./identity.ts";

const YEAR_SECONDS = 31_536_000;

/** Who is asking; a new guest's token goes out with the answer. Throws UNAUTHORIZED. */
export async function authenticate(c: HttpContext, door: Door): Promise<Principal> {
  const identified = await identify(c, door);
  return acceptCaller(c, door, identified);
}

/** The same in two steps, for the route that counts its limits in between. */
export async function identify(c: HttpContext, door: Door): Promise<Identified> {
  try {
    return await door.deps.identity.identify(credentialsOf(c));
  } catch (thrown) {
    // A cookie that no longer holds would lock its browser out for good: scripts cannot remove it.
    if (getCookie(c, GUEST_COOKIE) !== undefined) setGuestCookie(c, door, "", 0);
    throw thrown;
  }
}

/** Lets an identified caller in. */
export function acceptCaller(c: HttpContext, door: Door, { principal, guestToken }: Identified): Principal {
  if (guestToken !== undefined) {
    setGuestCookie(c, door, guestToken, YEAR_SECONDS);
    c.var.headers["x-tackle-guest"] = guestToken;
  }
  return principal;
}

function credentialsOf(c: HttpContext): Credentials {
  const authorization = c.req.header("authorization");
  return {
    bearer: authorization === undefined ? undefined : (/^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ""),
    cookie: (name) => getCookie(c, name),
  };
}

function setGuestCookie(c: HttpContext, door: Door, token: string, maxAge: number): void {
  const { trustProxy } = door.deps.config;
  const encrypted = trustProxy === true && c.req.header("x-forwarded-proto") === "https";
  c.var.headers["set-cookie"] =
    `${GUEST_COOKIE}=${token}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${encrypted ? "; Secure" : ""}`;
}
