import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import { authenticate } from "./caller.ts";
import type { HttpContext, ServerState } from "./context.ts";

/** The caller, if it may administer: the local owner, or an administrator who is signed in. Throws FORBIDDEN. */
export async function administrator(c: HttpContext, server: ServerState): Promise<Principal> {
  const principal = await authenticate(c, server);
  if (principal.role === "admin" || principal.kind === "owner") return principal;
  throw new Failure("FORBIDDEN", "Only an administrator who is signed in may do this.");
}
