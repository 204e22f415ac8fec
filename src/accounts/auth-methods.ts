import { API_KEY_PREFIX, SESSION_COOKIE } from "../protocol/accounts.ts";
import { Failure } from "../protocol/failure.ts";
import type { AuthMethod, Principal } from "../protocol/principal.ts";
import type { Directory } from "./directory.ts";
import { looksLikeJwt, type ReadJwt } from "./jwt.ts";

const GUEST_PREFIX = "guest_";

/**
 * Returns the authentication methods of everybody but guests. The header comes before cookies. If it is not valid, the
 * request is refused and nothing else is tried.
 */
export function authMethods(directory: Directory, readJwt: ReadJwt | undefined): AuthMethod[] {
  return [
    async ({ bearer }) => {
      if (!bearer?.startsWith(API_KEY_PREFIX)) return undefined;
      return required(await directory.byKey(bearer), "This API key is not valid, or was revoked.");
    },
    async ({ bearer }) => {
      if (bearer === undefined || !readJwt || !looksLikeJwt(bearer)) return undefined;
      return readJwt(bearer);
    },
    async ({ bearer, cookie }) => {
      const token = bearer ?? cookie(SESSION_COOKIE);
      if (token === undefined || token === "" || token.startsWith(GUEST_PREFIX)) return undefined;
      return required(await directory.bySession(token), "You are no longer signed in. Sign in again.");
    },
  ];
}

function required(principal: Principal | undefined, message: string): Principal {
  if (principal) return principal;
  throw new Failure("UNAUTHORIZED", message);
}
