import { Failure } from "../../protocol/failure.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { Turns } from "../../protocol/turns.ts";
import type { ServerState } from "../context.ts";

/** The turns of a person. Throws NOT_FOUND on a server without other protocols. */
export function turnsFor(server: ServerState, principal: Principal): Turns {
  const turns = server.deps.turnsFor?.(principal);
  if (!turns) throw new Failure("NOT_FOUND", "This server does not offer this protocol.");
  return turns;
}
