import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";

export interface JwtSettings {
  /** Shared with the issuer; HS256. */
  secret?: string;
  /** Where the issuer publishes its keys. */
  jwksUrl?: string;
  issuer?: string;
  audience?: string;
}

/** Reads a token of the outside issuer. Throws UNAUTHORIZED for one that does not hold. */
export type ReadJwt = (token: string) => Promise<Principal>;

/** Never a symmetric one: a published key must not become somebody's secret. */
const PUBLISHED_KEY_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const CLOCK_TOLERANCE_SECONDS = 5;
const SUBJECT = /^[\x21-\x7e]{1,200}$/;

/** Checks tokens with the issuer's secret or its published keys, which are fetched when needed and remembered. */
export function createJwtReader({ secret, jwksUrl, issuer, audience }: JwtSettings): ReadJwt {
  const options: JWTVerifyOptions = {
    requiredClaims: ["sub"],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
  };
  const verify = verifierFor(secret, jwksUrl, options);
  return async (token) => {
    let payload: JWTPayload;
    try {
      payload = await verify(token);
    } catch (cause) {
      throw refusal(cause);
    }
    const { sub, role } = payload;
    if (typeof sub !== "string" || !SUBJECT.test(sub)) throw refusal(undefined);
    return { id: `jwt:${sub}`, kind: "account", ...(role === "admin" ? { role } : {}) };
  };
}

/** True for what has the form of a JWT: three parts and nothing that another kind of token begins with. */
export function looksLikeJwt(token: string): boolean {
  return /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/.test(token);
}

function verifierFor(
  secret: string | undefined,
  jwksUrl: string | undefined,
  options: JWTVerifyOptions,
): (token: string) => Promise<JWTPayload> {
  if (secret !== undefined) {
    const key = new TextEncoder().encode(secret);
    return async (token) => (await jwtVerify(token, key, { ...options, algorithms: ["HS256"] })).payload;
  }
  if (jwksUrl === undefined) throw new Error("a JWT reader needs a secret or an address of keys");
  const keys = createRemoteJWKSet(new URL(jwksUrl));
  return async (token) =>
    (await jwtVerify(token, keys, { ...options, algorithms: PUBLISHED_KEY_ALGORITHMS })).payload;
}

function refusal(cause: unknown): Failure {
  if (cause instanceof errors.JWTExpired)
    return new Failure("UNAUTHORIZED", "This token has expired. Sign in again.", { cause });
  if (!keysAreMissing(cause)) return new Failure("UNAUTHORIZED", "This token is not valid here.", { cause });
  const message = "Tokens cannot be checked just now. Try again in a few seconds.";
  return new Failure("RESOURCE_EXHAUSTED", message, { cause, retryable: true, retryAfter: 5 });
}

/** True where it is not the token's fault: the issuer's keys could not be had. */
function keysAreMissing(cause: unknown): boolean {
  if (cause instanceof errors.JWKSTimeout || cause instanceof errors.JWKSInvalid) return true;
  if (cause instanceof errors.JOSEError) return cause.code === "ERR_JOSE_GENERIC";
  return cause instanceof Error;
}
