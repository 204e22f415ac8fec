import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterEach, expect, test } from "vitest";
import { createJwtReader, looksLikeJwt } from "./jwt.ts";

const SECRET = "the issuer's secret, which is long enough";
const now = () => Math.floor(Date.now() / 1000);

/** A token with an end and an audience, which the claims may change; undefined leaves one out. */
function hmacToken(claims: JWTPayload, { secret = SECRET, alg = "HS256" } = {}): Promise<string> {
  return new SignJWT({ exp: now() + 60, aud: "tackle", ...claims })
    .setProtectedHeader({ alg })
    .sign(new TextEncoder().encode(secret));
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

let server: Server | undefined;
afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

/** An issuer that publishes its keys on a loopback port. */
async function startIssuer(keys: () => unknown[]) {
  const issuer = { requests: 0, url: "", broken: false };
  server = createServer((_, response) => {
    issuer.requests += 1;
    response.writeHead(issuer.broken ? 500 : 200, { connection: "close" });
    response.end(JSON.stringify({ keys: keys() }));
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  return issuer;
}

test("a token of the issuer identifies its subject, and never makes an administrator by itself", async () => {
  const read = createJwtReader({ secret: SECRET });
  for (const role of ["authenticated", "admin"])
    expect(await read(await hmacToken({ sub: "u1", role }))).toEqual({ id: "jwt:u1", kind: "account" });
});

test.each<[string, JWTPayload, boolean]>([
  ["role=admin", { role: "admin" }, true],
  ["role=admin", { role: "administrator" }, false],
  ["role=admin", { roles: "admin" }, false],
  ["groups=chat-admins", { groups: ["staff", "chat-admins"] }, true],
  ["app_metadata.role=admin", { app_metadata: { role: "admin" } }, true],
  ["app_metadata.role=admin", { user_metadata: { role: "admin" }, role: "admin" }, false],
  ["https://example.org/admin=true", { "https://example.org/admin": true }, true],
])(
  "with the administrators' claim %s, the claims %j make an administrator: %s",
  async (setting, claims, is) => {
    const [name = "", value = ""] = setting.split("=");
    const read = createJwtReader({ secret: SECRET, adminClaim: { name, value } });
    const { role } = await read(await hmacToken({ sub: "u1", ...claims }));
    expect(role).toBe(is ? "admin" : undefined);
  },
);

test.each<[string, () => Promise<string> | string]>([
  ["has expired", () => hmacToken({ sub: "u1", exp: now() - 60 })],
  ["is not valid yet", () => hmacToken({ sub: "u1", nbf: now() + 600 })],
  ["has no end", () => hmacToken({ sub: "u1", exp: undefined })],
  ["has no audience", () => hmacToken({ sub: "u1", aud: undefined })],
  ["has no subject", () => hmacToken({ role: "admin" })],
  ["has an empty subject", () => hmacToken({ sub: "" })],
  ["has a subject with control characters", () => hmacToken({ sub: "u1\n" })],
  ["has a subject that is too long", () => hmacToken({ sub: "u".repeat(201) })],
  [
    "was signed with another secret",
    () => hmacToken({ sub: "u1" }, { secret: "some other secret of that length" }),
  ],
  ["uses another algorithm", () => hmacToken({ sub: "u1" }, { alg: "HS512" })],
  ["is not signed", () => `${encoded({ alg: "none" })}.${encoded({ sub: "u1" })}.`],
  [
    "is not signed, with the algorithm in capitals",
    () => `${encoded({ alg: "NONE" })}.${encoded({ sub: "u1" })}.`,
  ],
  ["has invalid content", () => "a.b.c"],
])("a token that %s is refused", async (_, make) => {
  const read = createJwtReader({ secret: SECRET });
  await expect(read(await make())).rejects.toMatchObject({ code: "UNAUTHORIZED" });
});

test("a tampered token is refused", async () => {
  const read = createJwtReader({ secret: SECRET });
  const [header, , signature] = (await hmacToken({ sub: "u1" })).split(".");
  await expect(read(`${header}.${encoded({ sub: "u2" })}.${signature}`)).rejects.toMatchObject({
    code: "UNAUTHORIZED",
  });
});

test("issuer and audience are checked if they are set", async () => {
  const read = createJwtReader({ secret: SECRET, issuer: "https://issuer.example", audience: "tackle" });
  const right = { sub: "u1", iss: "https://issuer.example", aud: "tackle" };
  expect(await read(await hmacToken(right))).toMatchObject({ id: "jwt:u1" });
  for (const wrong of [{ ...right, iss: "https://evil.example" }, { ...right, aud: "other" }, { sub: "u1" }])
    await expect(read(await hmacToken(wrong))).rejects.toMatchObject({ code: "UNAUTHORIZED" });
});

test("a token needs no audience if the operator says so", async () => {
  const read = createJwtReader({ secret: SECRET, audience: "*" });
  expect(await read(await hmacToken({ sub: "u1", aud: undefined }))).toMatchObject({ id: "jwt:u1" });
});

test("with published keys, no token is accepted until an audience is set", async () => {
  const read = createJwtReader({ jwksUrl: "http://127.0.0.1:9/keys" });
  const refusal = await read(await hmacToken({ sub: "u1" })).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: "UNAUTHORIZED",
    message: expect.stringContaining("TACKLE_JWT_AUDIENCE"),
  });
});

test.each(["RS256", "ES256", "EdDSA"])("a published %s key is fetched once and cached", async (alg) => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const issuer = await startIssuer(() => [jwk]);
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg };
  const read = createJwtReader({ jwksUrl: issuer.url, audience: "tackle" });
  const token = await new SignJWT({ sub: "u1", aud: "tackle", exp: now() + 60 })
    .setProtectedHeader({ alg, kid: "k1" })
    .sign(privateKey);
  for (let time = 0; time < 5; time++) expect(await read(token)).toEqual({ id: "jwt:u1", kind: "account" });
  expect(issuer.requests).toBe(1);
});

test("a published key is never used as a shared secret", async () => {
  const { publicKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1" };
  const issuer = await startIssuer(() => [jwk]);
  const read = createJwtReader({ jwksUrl: issuer.url, audience: "tackle" });
  const unsigned = `${encoded({ alg: "HS256", kid: "k1" })}.${encoded({ sub: "u1", role: "admin" })}`;
  for (const secret of [await exportSPKI(publicKey), JSON.stringify(jwk), jwk.n ?? ""]) {
    const signature = createHmac("sha256", secret).update(unsigned).digest("base64url");
    await expect(read(`${unsigned}.${signature}`)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  }
  const none = `${encoded({ alg: "none", kid: "k1" })}.${encoded({ sub: "u1" })}.`;
  await expect(read(none)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
});

test("an unpublished key is refused, and a failure to fetch keys is retryable", async () => {
  const issuer = await startIssuer(() => []);
  const { privateKey } = await generateKeyPair("ES256");
  const token = await new SignJWT({ sub: "u1", aud: "tackle", exp: now() + 60 })
    .setProtectedHeader({ alg: "ES256", kid: "k" })
    .sign(privateKey);
  await expect(createJwtReader({ jwksUrl: issuer.url, audience: "tackle" })(token)).rejects.toMatchObject({
    code: "UNAUTHORIZED",
  });
  issuer.broken = true;
  await expect(createJwtReader({ jwksUrl: issuer.url, audience: "tackle" })(token)).rejects.toMatchObject({
    code: "RESOURCE_EXHAUSTED",
    retryable: true,
  });
  const nowhere = createJwtReader({ jwksUrl: "http://127.0.0.1:9/keys", audience: "tackle" });
  await expect(nowhere(token)).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED" });
});

test("only a token with three parts looks like a JWT", () => {
  expect(looksLikeJwt("eyJh.eyJz.c2ln")).toBe(true);
  expect(looksLikeJwt("eyJh.eyJz.")).toBe(true);
  for (const other of ["tk_abc", "guest_abc.def", "a.b", "a.b.c.d", "a..c", "", "a.b/.c"])
    expect(looksLikeJwt(other)).toBe(false);
});
