import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import { Failure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";
import type { Principal } from "../protocol/principal.ts";

export interface JwtSettings {
  /** Shared with the issuer, for HS256. */
  secret?: string;
  /** The URL of the issuer's public keys. */
  jwksUrl?: string;
  issuer?: string;
  /** `*`: any, or none. */
  audience?: string;
  /** The claim that makes an administrator. Its name may be a path: `app_metadata.role`. */
  adminClaim?: { name: string; value: string };
}

/** Reads a token of the outside issuer. Throws UNAUTHORIZED if it is not valid. */
export type ReadJwt = (token: string) => Promise<Principal>;

/** No symmetric ones: a public key must never be used as a secret. */
export const PUBLISHED_KEY_ALGORITHMS = [
  ...["RS", "PS", "ES"].flatMap((kind) => [`${kind}256`, `${kind}384`, `${kind}512`]),
  "EdDSA",
  "Ed25519",
];
const CLOCK_TOLERANCE_SECONDS = 5;
const SUBJECT = /^[\x21-\x7e]{1,200}$/;

/** Checks tokens with the issuer's secret or its public keys, which are fetched when needed and cached. */
export function createJwtReader(settings: JwtSettings): ReadJwt {
  const { secret, jwksUrl, issuer, audience, adminClaim } = settings;
  const options: JWTVerifyOptions = {
    // A token without an end would be valid forever, and one without an audience may be meant for another service.
    requiredClaims: ["sub", "exp", ...(audience === "*" ? [] : ["aud"])],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined || audience === "*" ? {} : { audience }),
  };
  const verify = verifierFor(secret, jwksUrl, options);
  return async (token) => {
    // Published keys may be those of a large issuer, who signs tokens for everybody's services.
    if (jwksUrl !== undefined && audience === undefined)
      throw new Failure(
        "UNAUTHORIZED",
        "No tokens are accepted until the operator sets TACKLE_JWT_AUDIENCE.",
      );
    let payload: JWTPayload;
    try {
      payload = await verify(token);
    } catch (cause) {
      throw refusal(cause);
    }
    const { sub } = payload;
    if (typeof sub !== "string" || !SUBJECT.test(sub)) throw refusal(undefined);
    const isAdmin = adminClaim !== undefined && hasClaim(payload, adminClaim);
    return { id: `jwt:${sub}`, kind: "account", ...(isAdmin ? { role: "admin" } : {}) };
  };
}

/** Returns true for a text in the form of a JWT. */
export function looksLikeJwt(token: string): boolean {
  return /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/.test(token);
}

/** Returns true if the claim has this value, or is a list with it. */
function hasClaim(payload: JWTPayload, { name, value }: { name: string; value: string }): boolean {
  const own = (from: unknown, key: string) =>
    isObject(from) && Object.hasOwn(from, key) ? from[key] : undefined;
  const found = own(payload, name) ?? name.split(".").reduce<unknown>(own, payload);
  return (Array.isArray(found) ? found : [found]).some((one) => String(one) === value);
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
  if (jwksUrl === undefined) throw new Error("a JWT reader needs a secret or a URL of keys");
  const keys = createRemoteJWKSet(new URL(jwksUrl));
  return async (token) =>
    (await jwtVerify(token, keys, { ...options, algorithms: PUBLISHED_KEY_ALGORITHMS })).payload;
}

function refusal(cause: unknown): Failure {
  if (cause instanceof errors.JWTExpired)
    return new Failure("UNAUTHORIZED", "This token has expired. Sign in again.", { cause });
  if (cause instanceof errors.JWTClaimValidationFailed && cause.reason === "missing")
    return new Failure(
      "UNAUTHORIZED",
      `This token has no ${JSON.stringify(cause.claim)}, which it needs here.`,
      { cause },
    );
  if (!keysAreMissing(cause)) return new Failure("UNAUTHORIZED", "This token is not valid here.", { cause });
  const message = "Tokens cannot be checked right now. Try again in a few seconds.";
  return new Failure("RESOURCE_EXHAUSTED", message, { cause, retryable: true, retryAfter: 5 });
}

/** Returns true if the token may be fine, but the issuer's keys could not be fetched. */
function keysAreMissing(cause: unknown): boolean {
  if (cause instanceof errors.JWKSTimeout || cause instanceof errors.JWKSInvalid) return true;
  if (cause instanceof errors.JOSEError) return cause.code === "ERR_JOSE_GENERIC";
  return cause instanceof Error;
}
