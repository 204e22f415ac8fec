import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import { isSafeAddress } from "../protocol/safe-address.ts";
import { PUBLISHED_KEY_ALGORITHMS } from "./jwt.ts";

/** An OpenID provider as the operator describes it. */
export interface OidcSettings {
  issuer: string;
  clientId: string;
  /** A public client has none. */
  clientSecret?: string;
  /** What its button says: "Continue with …". */
  name: string;
  /** Addresses count as verified where the provider says nothing about it. */
  trustEmail: boolean;
}

export interface OidcParts extends OidcSettings {
  /** Sends a request, with POST if it has a form. Throws if the host cannot or may not be reached. */
  request(url: string, options?: OidcRequest): Promise<{ status: number; body: string }>;
}

export interface OidcRequest {
  form?: string;
  headers?: Record<string, string>;
}

/** A person, as the provider describes them. */
export interface ProviderIdentity {
  issuer: string;
  subject: string;
  email: string | undefined;
  emailVerified: boolean;
  name: string;
}

/** What binds an answer of the provider to the browser that asked. */
export interface Exchange {
  redirectUri: string;
  state: string;
  nonce: string;
  /** PKCE: its hash is sent with the question, it itself with the code. */
  verifier: string;
}

/** The provider does not answer, or answers with its own error. */
export class ProviderDown extends Error {}
/** The provider answers, but not with what it should. */
export class ProviderRefused extends Error {}

const DISCOVERY_MS = 60 * 60_000;
const CLOCK_TOLERANCE_SECONDS = 60;

const discovery = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  userinfo_endpoint: z.url().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
type Provider = z.output<typeof discovery> & { keys: ReturnType<typeof createRemoteJWKSet> };

const tokens = z.looseObject({ id_token: z.string(), access_token: z.string().optional() });
const claims = z.looseObject({
  sub: z.string().min(1).max(255),
  email: z.string().max(254).pipe(z.email()).optional().catch(undefined),
  // Some providers send it as text.
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  preferred_username: z.string().optional().catch(undefined),
});
type Claims = z.output<typeof claims>;

/** Creates a client of an OpenID provider: authorization code with PKCE, state and nonce. */
export function createOidcClient(parts: OidcParts) {
  const { issuer, clientId, clientSecret } = parts;
  let known: { provider: Promise<Provider>; until: number } | undefined;

  /** Reads what the provider says about itself. A failure is not kept. */
  async function findProvider(): Promise<Provider> {
    if (known && known.until > Date.now()) return known.provider;
    const entry = { provider: discover(), until: Date.now() + DISCOVERY_MS };
    known = entry;
    entry.provider.catch(() => {
      if (known === entry) known = undefined;
    });
    return entry.provider;
  }

  async function discover(): Promise<Provider> {
    const found = discovery.safeParse(
      await readJson(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`),
    );
    if (!found.success) throw new ProviderRefused("its description lacks endpoints");
    const { data } = found;
    if (withoutSlash(data.issuer) !== withoutSlash(issuer))
      throw new ProviderRefused("its description names another issuer");
    for (const url of [data.authorization_endpoint, data.token_endpoint, data.jwks_uri])
      if (!isSafeAddress(url))
        throw new ProviderRefused("its description names an address without encryption");
    const keys = createRemoteJWKSet(new URL(data.jwks_uri), {
      [customFetch]: async (url) => {
        const { status, body } = await parts.request(String(url));
        return new Response(body, { status });
      },
    });
    return { ...data, keys };
  }

  async function readJson(url: string, options?: OidcRequest): Promise<unknown> {
    let answer: { status: number; body: string };
    try {
      answer = await parts.request(url, options);
    } catch (cause) {
      throw new ProviderDown(cause instanceof Error ? cause.message : "unreachable", { cause });
    }
    const { status, body } = answer;
    if (status >= 500) throw new ProviderDown(`it answered ${status}`);
    if (status !== 200) throw new ProviderRefused(`it answered ${status}${errorIn(body)}`);
    try {
      return JSON.parse(body);
    } catch {
      throw new ProviderRefused("its answer is not JSON");
    }
  }

  /** Exchanges the code for an ID token, and checks that it is meant for us and for this browser. */
  async function redeem(provider: Provider, code: string, exchange: Exchange) {
    const form = new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: exchange.redirectUri,
      code_verifier: exchange.verifier,
    });
    const headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" };
    const methods = provider.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    if (clientSecret !== undefined && methods.includes("client_secret_basic")) {
      const pair = [clientId, clientSecret].map(encodeURIComponent).join(":");
      headers.authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
    } else {
      form.set("client_id", clientId);
      if (clientSecret !== undefined) form.set("client_secret", clientSecret);
    }
    const answer = tokens.safeParse(
      await readJson(provider.token_endpoint, { form: form.toString(), headers }),
    );
    if (!answer.success) throw new ProviderRefused("it sent no ID token");
    const payload = await verified(provider, answer.data.id_token);
    if (payload.nonce !== exchange.nonce) throw new ProviderRefused("the ID token has another nonce");
    if (Array.isArray(payload.aud) && payload.aud.length > 1 && payload.azp !== clientId)
      throw new ProviderRefused("the ID token is meant for another service");
    return { claims: parseClaims(payload), accessToken: answer.data.access_token };
  }

  async function verified({ keys, issuer: expected }: Provider, token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: expected,
        audience: clientId,
        algorithms: PUBLISHED_KEY_ALGORITHMS,
        requiredClaims: ["sub", "exp", "iat", "nonce"],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      return payload;
    } catch (cause) {
      throw new ProviderRefused(`the ID token is not valid: ${cause instanceof Error ? cause.message : ""}`, {
        cause,
      });
    }
  }

  /** Many providers keep the email address out of the ID token. */
  async function addDetails(provider: Provider, own: Claims, accessToken: string | undefined) {
    if (own.email !== undefined || !provider.userinfo_endpoint || accessToken === undefined) return own;
    if (!isSafeAddress(provider.userinfo_endpoint)) return own;
    const headers = { authorization: `Bearer ${accessToken}` };
    const more = parseClaims(await readJson(provider.userinfo_endpoint, { headers }));
    if (more.sub !== own.sub) throw new ProviderRefused("it described another person");
    return { ...own, ...more };
  }

  return {
    /** Returns where to send the person. Throws `ProviderDown` or `ProviderRefused`. */
    async authorizationUrl(exchange: Exchange, challenge: string): Promise<string> {
      const provider = await findProvider();
      const url = new URL(provider.authorization_endpoint);
      const query = {
        response_type: "code",
        client_id: clientId,
        redirect_uri: exchange.redirectUri,
        scope: "openid email profile",
        state: exchange.state,
        nonce: exchange.nonce,
        code_challenge: challenge,
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return url.href;
    },
    /** Returns who has signed in there. Throws `ProviderDown` or `ProviderRefused`. */
    async identify(
      answer: { code: string; iss: string | undefined },
      exchange: Exchange,
    ): Promise<ProviderIdentity> {
      const provider = await findProvider();
      const namesItself = provider.authorization_response_iss_parameter_supported === true;
      if (answer.iss === undefined ? namesItself : answer.iss !== provider.issuer)
        throw new ProviderRefused("the answer came from another issuer");
      const redeemed = await redeem(provider, answer.code, exchange);
      const person = await addDetails(provider, redeemed.claims, redeemed.accessToken);
      return {
        issuer: provider.issuer,
        subject: person.sub,
        email: person.email?.toLowerCase(),
        emailVerified: person.email_verified ?? parts.trustEmail,
        name: (person.name ?? person.preferred_username ?? "").trim().slice(0, 100),
      };
    },
  };
}

export type OidcClient = ReturnType<typeof createOidcClient>;

function parseClaims(value: unknown): Claims {
  const parsed = claims.safeParse(value);
  if (!parsed.success) throw new ProviderRefused("it sent no valid description of the person");
  return parsed.data;
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, "");
}

/** Returns the error code in an answer, such as `invalid_client`, for the log. */
function errorIn(body: string): string {
  const [, code] = /"error"\s*:\s*"([\w-]{1,60})"/.exec(body) ?? [];
  return code === undefined ? "" : ` (${code})`;
}
