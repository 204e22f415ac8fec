import {
  newAccountRequest,
  newPasswordRequest,
  passwordRequest,
  roleRequest,
  SESSION_COOKIE,
  type SignedIn,
  signInRequest,
  signUpRequest,
  suspendRequest,
  type Visitor,
} from "../../protocol/accounts.ts";
import { administrator, checkPerson } from "../administrator.ts";
import { aboutAct } from "../audited.ts";
import { readRequest } from "../body.ts";
import { addressOf, authenticate, cookieText, credentialsOf, GUEST_COOKIE } from "../caller.ts";
import { type HttpContext, pathParameter, publicRoute, type Route, route } from "../context.ts";
import { accountsOf, administrationOf } from "../dependencies.ts";
import { readNumber } from "../query.ts";
import { checkFeeds } from "./my-events.ts";

const MAX_PAGE = 200;
const MAX_QUERY = 200;
const MAX_AGENT = 300;

/** Sign-up, sign-in and sign-out, and accounts for administrators. */
export function accountRoutes(): Route[] {
  return [
    publicRoute("POST /auth/sign-up", async (c) => {
      const accounts = accountsOf(c);
      const request = await readRequest(c, signUpRequest, "form");
      return answerSignedIn(c, await accounts.signUp(request, visitorOf(c)), 201);
    }),
    publicRoute("POST /auth/sign-in", async (c) => {
      const accounts = accountsOf(c);
      const request = await readRequest(c, signInRequest, "form");
      return answerSignedIn(c, await accounts.signIn(request, visitorOf(c)), 200);
    }),
    publicRoute("POST /auth/sign-out", async (c) => {
      const accounts = accountsOf(c);
      const { bearer, cookie } = credentialsOf(c);
      const token = bearer ?? cookie(SESSION_COOKIE);
      const server = c.get("server");
      const caller = token
        ? await server.deps.identity.identify(credentialsOf(c)).catch(() => undefined)
        : undefined;
      if (token) await accounts.signOut(token);
      if (caller) await checkFeeds(server, caller.principal.id);
      if (caller) aboutAct(c, { actor: caller.principal.id });
      c.header("set-cookie", cookieText(c, { name: SESSION_COOKIE, value: "", maxAge: 0 }));
      return c.body(null, 204);
    }),
    route("POST /me/password", async (c) => {
      const accounts = accountsOf(c);
      const request = await readRequest(c, passwordRequest);
      const principal = await authenticate(c);
      const signedIn = await accounts.changePassword(principal, request, visitorOf(c));
      await checkFeeds(c.get("server"), principal.id);
      return answerSignedIn(c, signedIn, 200);
    }),
    route("GET /admin/users", async (c) => {
      const accounts = accountsOf(c);
      await administrator(c);
      const query = c.req.query("query")?.trim().slice(0, MAX_QUERY);
      const { users, total } = await accounts.list({
        limit: readNumber(c, "limit", 50, 1, MAX_PAGE),
        offset: readNumber(c, "offset", 0, 0, 1e9),
        ...(query ? { query } : {}),
      });
      const { administration } = c.get("server").deps;
      const facts = await administration?.describePeople(users.map(({ id }) => id));
      const nothing = { limits: {}, models: {}, spentUsd: 0 };
      return c.json({
        users: users.map((user) => ({ ...user, ...(facts?.get(user.id) ?? nothing) })),
        total,
      });
    }),
    route("POST /admin/users", async (c) => {
      const request = await readRequest(c, newAccountRequest);
      await administrator(c);
      const account = await accountsOf(c).create(request);
      aboutAct(c, { subject: { target: account.id, role: account.role } });
      return c.json(account, 201);
    }),
    route("POST /admin/users/:id/suspend", async (c) => {
      const { suspended } = await readRequest(c, suspendRequest);
      const by = await administrator(c);
      await accountsOf(c).suspend(by, pathParameter(c, "id"), suspended);
      if (!suspended) aboutAct(c, { action: "account.resumed" });
      return c.json({ id: c.req.param("id"), suspended });
    }),
    route("POST /admin/users/:id/role", async (c) => {
      const { role } = await readRequest(c, roleRequest);
      const by = await administrator(c);
      await accountsOf(c).setRole(by, pathParameter(c, "id"), role);
      aboutAct(c, { subject: { role } });
      return c.json({ id: c.req.param("id"), role });
    }),
    route("POST /admin/users/:id/password", async (c) => {
      const { password } = await readRequest(c, newPasswordRequest);
      await administrator(c);
      await accountsOf(c).setPassword(pathParameter(c, "id"), password);
      return c.body(null, 204);
    }),
    route("GET /admin/users/:id/devices", async (c) => {
      await administrator(c);
      const id = pathParameter(c, "id");
      await checkPerson(c, id);
      return c.json({ devices: await accountsOf(c).listDevices(id, undefined) });
    }),
    route("DELETE /admin/users/:id/devices/:device", async (c) => {
      await administrator(c);
      const id = pathParameter(c, "id");
      await accountsOf(c).endDevice(id, pathParameter(c, "device"));
      await checkFeeds(c.get("server"), id);
      return c.body(null, 204);
    }),
    route("GET /admin/users/:id/data", async (c) => {
      await administrator(c);
      const id = pathParameter(c, "id");
      await checkPerson(c, id);
      const keys = await accountsOf(c).listKeys(id);
      return c.json({ id, ...(await administrationOf(c).owned(id)), keys: keys.length });
    }),
    route("DELETE /admin/users/:id", async (c) => {
      const by = await administrator(c);
      await accountsOf(c).remove(by, pathParameter(c, "id"));
      return c.body(null, 204);
    }),
  ];
}

/** Returns where a request comes from. */
export function visitorOf(c: HttpContext): Visitor {
  const server = c.get("server");
  const guest = server.deps.identity.guestIn(credentialsOf(c));
  const address = addressOf(c);
  const agent = c.req.header("user-agent")?.slice(0, MAX_AGENT);
  return { address, guest, agent };
}

/** Sends the token in the body for programs and as a cookie for browsers. */
export function answerSignedIn(c: HttpContext, signedIn: SignedIn, status: 200 | 201): Response {
  setSignedIn(c, signedIn);
  return c.json({ user: signedIn.account, token: signedIn.token }, status);
}

/** Sets the cookie of somebody who has signed in. It replaces the guest's. */
export function setSignedIn(c: HttpContext, { account, token, maxAge }: SignedIn): void {
  aboutAct(c, { actor: account.id });
  const { cookie } = credentialsOf(c);
  c.header("set-cookie", cookieText(c, { name: SESSION_COOKIE, value: token, maxAge }));
  if (cookie(GUEST_COOKIE) !== undefined) {
    const gone = cookieText(c, { name: GUEST_COOKIE, value: "", maxAge: 0 });
    c.header("set-cookie", gone, { append: true });
  }
}
