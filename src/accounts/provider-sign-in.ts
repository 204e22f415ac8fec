import { createHash, createHmac, randomBytes } from "node:crypto";
import type { Account, ProviderProblem, ProviderSignIn, SignedIn, Visitor } from "../protocol/accounts.ts";
import { Failure, type FailureCode } from "../protocol/failure.ts";
import type { AccountsParts } from "./accounts.ts";
import { takeAttempt } from "./attempts.ts";
import { claimAccount } from "./claim-account.ts";
import { type Exchange, type OidcClient, ProviderDown, type ProviderIdentity } from "./oidc.ts";
import { isSameSecret } from "./same-secret.ts";

export interface ProviderParts {
  name: string;
  client: OidcClient;
  /** Derives what binds an answer to the browser that asked, so that nothing has to be stored. */
  key: Uint8Array;
  /** Told why a sign-in failed for a reason that only the operator can change. */
  onFailure(why: string): void;
}

/** What the other ways to sign in share with this one. */
export interface SharedRules {
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
  adopt(account: Account, from: Visitor): Promise<void>;
  /** Throws FORBIDDEN for a wrong or missing set-up token. */
  checkSetUpToken(given: string | undefined): void;
}

const TICKET_MS = 10 * 60_000;
const ATTEMPTS_PER_ADDRESS = 60;
const LIMIT = "provider-sign-in";

/** Creates the sign-in by an outside provider. Its people follow the same rules as everybody: sign-up, first account, suspension. */
export function createProviderSignIn(
  { store, directory, suspensions, signUp }: AccountsParts,
  { name, client, key, onFailure }: ProviderParts,
  { exclusively, adopt, checkSetUpToken }: SharedRules,
): ProviderSignIn {
  /** Finds the account of a person of the provider, or makes one. */
  async function connect(
    who: ProviderIdentity,
    setupToken: string | undefined,
  ): Promise<{ account: Account; isNew: boolean }> {
    const known = await directory.byProvider(who);
    if (known) return { account: known, isNew: false };
    const { email } = who;
    // A person who can enter any address there could take over the account with that address here.
    if (email === undefined || !who.emailVerified) throw problem("unverified", name);
    return exclusively(async () => {
      const same = (await directory.byProvider(who)) ?? (await directory.byEmail(email));
      if (same) {
        await claimAccount({ store, directory }, same.id);
        await directory.link(same.id, who);
        return { account: same, isNew: false };
      }
      const first = (await directory.count()) === 0;
      if (signUp === "closed" || (signUp === "first" && !first)) throw problem("closed", name);
      if (first) checkSetUpToken(setupToken);
      return {
        account: await directory.signUpLinked({ ...who, email }, first ? "admin" : "user"),
        isNew: true,
      };
    });
  }

  async function identify(code: string, iss: string | undefined, exchange: Exchange) {
    try {
      return await client.identify({ code, iss }, exchange);
    } catch (thrown) {
      throw refusal(thrown);
    }
  }

  function refusal(cause: unknown): Failure {
    onFailure(cause instanceof Error ? cause.message : "unknown");
    return problem(cause instanceof ProviderDown ? "down" : "failed", name, cause);
  }

  function exchangeOf(secret: string, redirectUri: string): Exchange {
    const derive = (purpose: string) =>
      createHmac("sha256", key).update(`${purpose} ${secret}`).digest("base64url");
    return { redirectUri, state: derive("state"), nonce: derive("nonce"), verifier: derive("verifier") };
  }

  async function enter(who: ProviderIdentity, setupToken: string | undefined, from: Visitor) {
    const { account, isNew } = await connect(who, setupToken);
    if (await suspensions.has(account.id)) throw problem("suspended", name);
    const signedIn: SignedIn = await directory.openSession(account, from.agent);
    await adopt(account, from);
    return { ...signedIn, isNew };
  }

  return {
    name,
    signUp: signUp === "open" || signUp === "provider",
    async begin({ setupToken = "" }, redirectUri, from) {
      await takeAttempt(store, `address ${from.address}`, LIMIT, ATTEMPTS_PER_ADDRESS);
      const secret = `${Date.now().toString(36)}-${randomBytes(24).toString("base64url")}`;
      const exchange = exchangeOf(secret, redirectUri);
      const challenge = createHash("sha256").update(exchange.verifier).digest("base64url");
      try {
        const url = await client.authorizationUrl(exchange, challenge);
        return { url, ticket: `${secret}.${setupToken}` };
      } catch (thrown) {
        throw refusal(thrown);
      }
    },
    async finish({ ticket = "", state = "", code, iss, error }, redirectUri, from) {
      const [secret = "", setupToken] = ticket.split(".");
      const exchange = exchangeOf(secret, redirectUri);
      const age = Date.now() - Number.parseInt(secret, 36);
      if (!(age >= 0 && age <= TICKET_MS) || !isSameSecret(state, exchange.state))
        throw problem("expired", name);
      if (error === "access_denied") throw problem("denied", name);
      if (error !== undefined || code === undefined)
        throw refusal(new Error(`it sent the error ${error?.slice(0, 60) ?? "without a code"}`));
      const signedIn = await enter(await identify(code, iss, exchange), setupToken || undefined, from);
      await store.refundLimit(`address ${from.address}`, LIMIT);
      return signedIn;
    },
  };
}

const PROBLEMS: Record<ProviderProblem, readonly [FailureCode, string]> = {
  down: ["UPSTREAM_ERROR", "{name} can’t be reached right now. Try again in a moment."],
  failed: [
    "UPSTREAM_ERROR",
    "Signing in with {name} didn’t work. The server’s log tells its administrator why.",
  ],
  denied: ["FORBIDDEN", "You ended the sign-in at {name}."],
  expired: ["FORBIDDEN", "The sign-in took too long, or began in another browser. Try again."],
  unverified: ["FORBIDDEN", "{name} hasn’t confirmed that your email address is yours."],
  closed: ["FORBIDDEN", "Only the administrator of this server can create accounts."],
  setup: ["FORBIDDEN", "The first account needs the link that the server printed when it started."],
  suspended: ["FORBIDDEN", "This account is suspended. Ask the administrator."],
  throttled: ["RATE_LIMITED", "Too many attempts. Try again in a few minutes."],
};

function problem(kind: ProviderProblem, name: string, cause?: unknown): Failure {
  const [code, sentence] = PROBLEMS[kind];
  return new Failure(code, sentence.replace("{name}", name), { cause, details: { problem: kind } });
}
