import { isIP } from "node:net";
import { SESSION_COOKIE } from "../../protocol/accounts.ts";
import { Failure } from "../../protocol/failure.ts";
import { confirmation, newPasskeyRequest, passkeyAssertion, passkeyChange } from "../../protocol/passkeys.ts";
import type { Principal } from "../../protocol/principal.ts";
import { aboutAct } from "../audited.ts";
import { readOptionalRequest, readRequest } from "../body.ts";
import { credentialsOf } from "../caller.ts";
import { type HttpContext, pathParameter, publicRoute, type Route, route } from "../context.ts";
import { accountsOf } from "../dependencies.ts";
import { publicOrigin } from "../own-origin.ts";
import { answerSignedIn, visitorOf } from "./accounts.ts";
import { member } from "./me.ts";

/** Sign-in with passkeys, and a person's own. */
export function passkeyRoutes(): Route[] {
  return [
    publicRoute("POST /auth/passkey/options", async (c) =>
      c.json(await accountsOf(c).passkeys.requestOptions(siteOf(c))),
    ),
    publicRoute("POST /auth/passkey", async (c) => {
      const { passkeys } = accountsOf(c);
      const assertion = await readRequest(c, passkeyAssertion, "form");
      const signedIn = await passkeys.signIn(assertion, siteOf(c), visitorOf(c));
      aboutAct(c, { subject: { by: "passkey" } });
      return answerSignedIn(c, signedIn, 200);
    }),
    route("GET /me/passkeys", async (c) => {
      const { id } = await member(c);
      return c.json({ passkeys: await accountsOf(c).passkeys.list(id) });
    }),
    route("POST /me/passkeys/options", async (c) => {
      const { password } = await readOptionalRequest(c, confirmation);
      const accounts = accountsOf(c);
      const person = await signedInMember(c);
      const { bearer, cookie } = credentialsOf(c);
      // It lets its owner in for good, so a computer that was left unlocked is not enough.
      const proof = { password, token: bearer ?? cookie(SESSION_COOKIE) };
      await accounts.confirm(person, proof, visitorOf(c));
      return c.json(await accounts.passkeys.creationOptions(person.id, siteOf(c)));
    }),
    route("POST /me/passkeys", async (c) => {
      const request = await readRequest(c, newPasskeyRequest);
      const { id } = await signedInMember(c);
      const passkey = await accountsOf(c).passkeys.add(id, request, siteOf(c));
      aboutAct(c, { subject: { target: passkey.id } });
      return c.json(passkey, 201);
    }),
    route("PATCH /me/passkeys/:id", async (c) => {
      const { name } = await readRequest(c, passkeyChange);
      const { id } = await member(c);
      return c.json(await accountsOf(c).passkeys.rename(id, pathParameter(c, "id"), name));
    }),
    route("DELETE /me/passkeys/:id", async (c) => {
      const { id } = await member(c);
      await accountsOf(c).passkeys.remove(id, pathParameter(c, "id"));
      return c.body(null, 204);
    }),
  ];
}

/** Returns true if visitors can sign in with a passkey: the address allows it, and somebody has one. */
export async function offersPasskeys(c: HttpContext): Promise<boolean> {
  return hasName(publicOrigin(c)) && (await accountsOf(c).passkeys.exist());
}

/** A key can be revoked. A passkey that it has added would stay. */
async function signedInMember(c: HttpContext): Promise<Principal> {
  const principal = await member(c);
  if (principal.key) throw new Failure("FORBIDDEN", "An API key cannot add a passkey. Sign in first.");
  return principal;
}

/** The origin that passkeys belong to. */
function siteOf(c: HttpContext): string {
  const origin = publicOrigin(c);
  if (hasName(origin)) return origin;
  throw new Failure(
    "NOT_FOUND",
    "Browsers allow passkeys only for a name with https, or for localhost. Its operator can set TACKLE_PUBLIC_URL.",
  );
}

function hasName(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  if (hostname === "localhost" || hostname.endsWith(".localhost")) return true;
  return protocol === "https:" && isIP(hostname) === 0 && !hostname.startsWith("[");
}
