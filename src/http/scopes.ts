import { DEFAULT_SCOPES, type KeyScope } from "../protocol/accounts.ts";
import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";

/** The scope that a route needs, by the beginning of `METHOD /path`. The first match applies. */
const SCOPES: readonly (readonly [RegExp, KeyScope | undefined])[] = [
  [/^[A-Z]+ \/admin\//, "admin"],
  [/^GET \/me\/(?:keys|devices|passkeys)$/, "admin"],
  [
    /^GET \/me\/(?:questions|events|export|approvals|drafts)|^[A-Z]+ \/me\/push$|^[A-Z]+ \/me\/memory/,
    "chat",
  ],
  [/^GET \/(?:me|models|tools|v1\/models|v1\/tools)(?:\/|$)/, undefined],
  [/^[A-Z]+ \/api\/(?:tags|show|version|ps)$/, undefined],
  [/^[A-Z]+ \/(?:me|workspace\/trust)(?:\/|$)/, "admin"],
  [
    /^[A-Z]+ (?:\/functions\/v1)?\/(?:tools|mcp|v1\/images|generate-artifact|generate-image)(?:\/|$)/,
    "tools",
  ],
  [/^[A-Z]+ \/(?:v1\/)?files(?:\/|$)/, "files"],
];

/** An API key may not do this. */
export class LacksScope extends Failure {}

/** Throws FORBIDDEN if the scopes of an API key do not cover the route. */
export function checkScope(key: NonNullable<Principal["key"]>, method: string, route: string): void {
  const known = SCOPES.find(([pattern]) => pattern.test(`${method} ${route}`));
  const needed = known ? known[1] : "chat";
  if (needed === undefined || (key.scopes ?? DEFAULT_SCOPES).includes(needed)) return;
  throw new LacksScope("FORBIDDEN", `This API key does not have the scope ${needed}, which this needs.`);
}
