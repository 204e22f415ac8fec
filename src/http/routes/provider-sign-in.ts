import {
  PROVIDER_PROBLEMS,
  type ProviderProblem,
  type ProviderSignIn,
  providerRequest,
} from "../../protocol/accounts.ts";
import { Failure, toFailure } from "../../protocol/failure.ts";
import { aboutAct } from "../audited.ts";
import { readRequest } from "../body.ts";
import { cookieText, credentialsOf } from "../caller.ts";
import { type HttpContext, publicRoute, type Route } from "../context.ts";
import { accountsOf } from "../dependencies.ts";
import { publicOrigin } from "../own-origin.ts";
import { SIGN_IN_PAGE } from "../page.ts";
import { setSignedIn, visitorOf } from "./accounts.ts";
import { checkFeeds } from "./my-events.ts";

/** Binds the provider's answer to the browser that asked. */
const TICKET_COOKIE = "tackle_provider";
const TICKET_SECONDS = 600;
const CALLBACK = "/auth/provider/callback";

/** Sign-in by an outside provider. */
export function providerSignInRoutes(): Route[] {
  return [
    publicRoute("POST /auth/provider", async (c) => {
      const provider = providerOf(c);
      const { place = "", ...request } = await readRequest(c, providerRequest, "form");
      const { url, ticket } = await provider.begin(request, callbackOf(c), visitorOf(c));
      const kept = { name: TICKET_COOKIE, value: `${ticket} ${place}`, maxAge: TICKET_SECONDS };
      c.header("set-cookie", cookieText(c, kept));
      return c.json({ url });
    }),
    publicRoute(`GET ${CALLBACK}`, async (c) => {
      const provider = providerOf(c);
      const [ticket, place = ""] = credentialsOf(c).cookie(TICKET_COOKIE)?.split(" ") ?? [];
      const { state, code, iss, error } = c.req.query();
      try {
        const answer = { ticket, state, code, iss, error };
        const signedIn = await provider.finish(answer, callbackOf(c), visitorOf(c));
        setSignedIn(c, signedIn);
        if (signedIn.isNew) aboutAct(c, { action: "auth.signed_up" });
        aboutAct(c, { subject: { by: "provider" } });
        await checkFeeds(c.get("server"), signedIn.account.id);
        return redirectTo(c, `/${place}`);
      } catch (thrown) {
        const failure = toFailure(thrown);
        if (failure.code === "INTERNAL") throw thrown;
        aboutAct(c, { action: "auth.failed", subject: { by: "provider", code: failure.code } });
        // A person looks at this answer, in their language.
        return redirectTo(c, `${SIGN_IN_PAGE}?problem=${problemOf(failure)}${place}`);
      }
    }),
  ];
}

/** Redirects the browser, and removes its ticket, which is good for one answer. */
function redirectTo(c: HttpContext, place: string): Response {
  const gone = cookieText(c, { name: TICKET_COOKIE, value: "", maxAge: 0 });
  c.header("set-cookie", gone, { append: true });
  return c.redirect(place);
}

function problemOf({ code, details }: Failure): ProviderProblem {
  const known = PROVIDER_PROBLEMS.find((problem) => problem === details?.problem);
  return known ?? (code === "RATE_LIMITED" ? "throttled" : "failed");
}

function providerOf(c: HttpContext): ProviderSignIn {
  const { provider } = accountsOf(c);
  if (provider) return provider;
  throw new Failure("NOT_FOUND", "This server has no outside provider to sign in with.");
}

/** The operator registers this address with the provider. */
function callbackOf(c: HttpContext): string {
  return `${publicOrigin(c)}${CALLBACK}`;
}
