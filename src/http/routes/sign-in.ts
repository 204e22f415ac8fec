import { forgottenRequest, resetRequest, SESSION_COOKIE } from "../../protocol/accounts.ts";
import { toFailure } from "../../protocol/failure.ts";
import { readRequest } from "../body.ts";
import { credentialsOf } from "../caller.ts";
import { type HttpContext, publicRoute, type Route } from "../context.ts";
import { accountsOf } from "../dependencies.ts";
import { answerSignedIn, visitorOf } from "./accounts.ts";
import { checkFeeds } from "./my-events.ts";
import { offersPasskeys } from "./passkeys.ts";

/** What the page to sign in needs besides signing in and up. */
export function signInRoutes(): Route[] {
  return [
    publicRoute("GET /auth/options", async (c) => {
      const options = await accountsOf(c).signInOptions();
      const suspended = (await isSuspended(c)) ? { suspended: true } : {};
      return c.json({
        ...options,
        passkeys: await offersPasskeys(c),
        ...(await guestsOf(c)),
        ...suspended,
      });
    }),
    publicRoute("POST /auth/forgot-password", async (c) => {
      const accounts = accountsOf(c);
      const { email } = await readRequest(c, forgottenRequest, "form");
      await accounts.requestReset(email, visitorOf(c));
      return c.body(null, 204);
    }),
    publicRoute("POST /auth/reset-password", async (c) => {
      const accounts = accountsOf(c);
      const request = await readRequest(c, resetRequest, "form");
      const signedIn = await accounts.resetPassword(request, visitorOf(c));
      await checkFeeds(c.get("server"), signedIn.account.id);
      return answerSignedIn(c, signedIn, 200);
    }),
  ];
}

/** Returns true if a visitor of the app can't use it as they are, or comes with the link for the first account. */
export async function wantsSignIn(c: HttpContext): Promise<boolean> {
  const { config, identity, accounts } = c.get("server").deps;
  if (!accounts) return false;
  if (c.req.query("setup") !== undefined) return true;
  if (await isSuspended(c)) return true;
  if (config.auth !== "required") return false;
  const refused = await identity.identify(credentialsOf(c)).then(() => undefined, toFailure);
  return refused?.code === "UNAUTHORIZED";
}

/** Returns true if the visitor is signed in with an account that was suspended since. */
async function isSuspended(c: HttpContext): Promise<boolean> {
  const { identity, admit } = c.get("server").deps;
  const credentials = credentialsOf(c);
  if (credentials.cookie(SESSION_COOKIE) === undefined) return false;
  const refused = await identity
    .identify(credentials)
    .then(({ principal }) => admit?.(principal))
    .then(() => undefined, toFailure);
  return refused?.code === "FORBIDDEN";
}

/** What a guest who comes now could ask. */
async function guestsOf(c: HttpContext) {
  const { config, limits } = c.get("server").deps;
  if (config.auth !== "guest") return {};
  const now = Date.now();
  const verdict = await limits.peekChat?.({ id: "guest_new", kind: "guest" });
  if (!verdict) return {};
  return { guests: { questions: verdict.limit, minutes: Math.round((verdict.resetAt - now) / 60_000) } };
}
