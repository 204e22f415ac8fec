import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import { authenticate } from "./caller.ts";
import type { HttpContext } from "./context.ts";
import { accountsOf } from "./dependencies.ts";

/** Returns the caller if it is the local owner or an administrator. Throws FORBIDDEN. */
export async function administrator(c: HttpContext): Promise<Principal> {
  const principal = await authenticate(c);
  if (principal.role === "admin" || principal.kind === "owner") return principal;
  throw new Failure("FORBIDDEN", "Only an administrator can do this.");
}

/** Throws NOT_FOUND if no account, guest or outside user has this id. */
export async function checkPerson(c: HttpContext, id: string): Promise<void> {
  if (/^(jwt:|guest_)/.test(id) || (await accountsOf(c).get(id))) return;
  throw new Failure("NOT_FOUND", "There is no such user.");
}
