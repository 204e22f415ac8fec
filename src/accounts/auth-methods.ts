import { API_KEY_PREFIX, SESSION_COOKIE } from "../protocol/accounts.ts";
import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Directory } from "./directory.ts";
import { looksLikeJwt, type ReadJwt } from "./jwt.ts";

/** What a request shows: the text behind `Bearer`, and cookies. */
interface Shown {
  bearer: string | undefined;
  cookie(name: string): string | undefined;
}

type Way = (shown: Shown) => Promise<Principal | undefined>;

const GUEST_PREFIX = "guest_";

/**
 * The ways in of those who are not guests. A header stands above any cookie, and one that does not hold is refused:
 * nothing else that the request shows is looked at then.
 */
export function authMethods(directory: Directory, readJwt: ReadJwt | undefined): Way[] {
  return [
    async ({ bearer }) => {
      if (!bearer?.startsWith(API_KEY_PREFIX)) return undefined;
      return held(await directory.byKey(bearer), "This API key is not valid, or was revoked.");
    },
    async ({ bearer }) => {
      if (bearer === undefined || !readJwt || !looksLikeJwt(bearer)) return undefined;
      return readJwt(bearer);
    },
    async ({ bearer, cookie }) => {
      const token = bearer ?? cookie(SESSION_COOKIE);
      if (token === undefined || token === "" || token.startsWith(GUEST_PREFIX)) return undefined;
      return held(await directory.bySession(token), "You are not signed in any more. Sign in again.");
    },
  ];
}

function held(principal: Principal | undefined, message: string): Principal {
  if (principal) return principal;
  throw new Failure("UNAUTHORIZED", message);
}
