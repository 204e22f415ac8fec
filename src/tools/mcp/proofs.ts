import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  type webcrypto,
} from "node:crypto";
import type { ServerAuthorization } from "./oauth.ts";

const ALGORITHM = "ES256";

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Binds tokens to a key of ours (DPoP) where the authorization server supports that: who only has the token cannot use it.
 * Each request then carries a proof, with the nonce that the host wants.
 */
export function withProofs(send: Fetch, authorization: ServerAuthorization): Fetch {
  const nonces = new Map<string, string>();

  async function sendWithProof(url: URL, init: RequestInit, token: string | undefined): Promise<Response> {
    const key = await authorization.proofKey(makeKey);
    const headers = new Headers(init.headers);
    const method = init.method ?? "GET";
    headers.set("dpop", proofOf(key, { method, url, token, nonce: nonces.get(url.origin) }));
    if (token !== undefined) headers.set("authorization", `DPoP ${token}`);
    const response = await send(url, { ...init, headers });
    const nonce = response.headers.get("dpop-nonce");
    if (nonce !== null) nonces.set(url.origin, nonce);
    return response;
  }

  return async (input, init = {}) => {
    const url = new URL(input);
    const metadata = authorization.metadata ?? {};
    const algorithms = metadata.dpop_signing_alg_values_supported;
    if (!Array.isArray(algorithms) || !algorithms.includes(ALGORITHM)) return send(input, init);
    const bearer = /^Bearer (.+)$/.exec(new Headers(init.headers).get("authorization") ?? "")?.[1];
    const isBound =
      bearer !== undefined && (await authorization.tokens())?.token_type.toLowerCase() === "dpop";
    if (!isBound && url.href !== metadata.token_endpoint) return send(input, init);
    const token = isBound ? bearer : undefined;
    const before = nonces.get(url.origin);
    const response = await sendWithProof(url, init, token);
    const wantsNonce = [400, 401].includes(response.status) && nonces.get(url.origin) !== before;
    if (!wantsNonce) return response;
    await response.body?.cancel();
    return sendWithProof(url, init, token);
  };
}

function makeKey(): webcrypto.JsonWebKey {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
}

function proofOf(
  key: webcrypto.JsonWebKey,
  about: { method: string; url: URL; token: string | undefined; nonce: string | undefined },
): string {
  const { kty, crv, x, y } = key;
  const { method, url, token, nonce } = about;
  const header = { typ: "dpop+jwt", alg: ALGORITHM, jwk: { kty, crv, x, y } };
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: `${url.origin}${url.pathname}`,
    iat: Math.floor(Date.now() / 1000),
    ...(token === undefined ? {} : { ath: createHash("sha256").update(token).digest("base64url") }),
    nonce,
  };
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signature = sign("sha256", Buffer.from(text), {
    key: createPrivateKey({ key: { ...key }, format: "jwk" }),
    dsaEncoding: "ieee-p1363",
  });
  return `${text}.${signature.toString("base64url")}`;
}
