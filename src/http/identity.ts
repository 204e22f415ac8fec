import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";

/** The credentials of a request. */
export interface Credentials {
  /** The token of `Authorization: Bearer …`, below `/v1/` also of `x-api-key`. Empty if the header has another form. */
  bearer: string | undefined;
  cookie(name: string): string | undefined;
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

/** One more way to show who one is: an account's session, an API key, a JWT. Undefined: these are not its credentials. */
export type IdentityWay = (credentials: Credentials) => Promise<Principal | undefined>;

export interface IdentityOptions {
  auth: "none" | "guest" | "required";
  /** Signs guest tokens. At least 32 bytes, the same after a restart. */
  guestSecret: string | Uint8Array;
  /** Asked in order, before guests. A way throws UNAUTHORIZED for credentials that are its own but do not hold. */
  ways?: readonly IdentityWay[];
}

export const GUEST_COOKIE = "tackle_guest";
const GUEST_TOKEN = /^(guest_[A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/** Identifies callers by the server's settings. */
export function createIdentity({ auth, guestSecret, ways = [] }: IdentityOptions): Identity {
  return {
    async identify(credentials) {
      if (auth === "none") return { principal: { id: "local", kind: "owner" } };
      for (const way of ways) {
        const principal = await way(credentials);
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
