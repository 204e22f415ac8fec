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
import { parseRequest } from "../../protocol/requests.ts";
import { clientAddress } from "../address.ts";
import { administrator } from "../administrator.ts";
import { readJson } from "../body.ts";
import { authenticate, cookieText, credentialsOf } from "../caller.ts";
import type { HttpContext, Route, ServerState } from "../context.ts";
import { accountsOf } from "../dependencies.ts";
import { GUEST_COOKIE } from "../identity.ts";
import { readNumber } from "../query.ts";

const MAX_PAGE = 200;
const MAX_QUERY = 200;

/** Signing up, in and out, and what administrators do. */
export function accountRoutes(server: ServerState): Route[] {
  return [
    {
      method: "POST",
      path: "/auth/sign-up",
      async handle(c) {
        const accounts = accountsOf(server.deps);
        const request = parseRequest(signUpRequest, await readBody(c));
        return answerSignedIn(c, server, await accounts.signUp(request, visitorOf(c, server)), 201);
      },
    },
    {
      method: "POST",
      path: "/auth/sign-in",
      async handle(c) {
        const accounts = accountsOf(server.deps);
        const request = parseRequest(signInRequest, await readBody(c));
        return answerSignedIn(c, server, await accounts.signIn(request, visitorOf(c, server)), 200);
      },
    },
    {
      method: "POST",
      path: "/auth/sign-out",
      async handle(c) {
        const accounts = accountsOf(server.deps);
        const { bearer, cookie } = credentialsOf(c);
        const token = bearer ?? cookie(SESSION_COOKIE);
        if (token) await accounts.signOut(token);
        c.header("set-cookie", cookieText(c, server, { name: SESSION_COOKIE, value: "", maxAge: 0 }));
        return c.body(null, 204);
      },
    },
    {
      method: "POST",
      path: "/me/password",
      async handle(c) {
        const accounts = accountsOf(server.deps);
        const request = parseRequest(passwordRequest, await readBody(c));
        const principal = await authenticate(c, server);
        return answerSignedIn(
          c,
          server,
          await accounts.changePassword(principal, request, visitorOf(c, server)),
          200,
        );
      },
    },
    {
      method: "GET",
      path: "/admin/users",
      async handle(c) {
        const accounts = accountsOf(server.deps);
        await administrator(c, server);
        const query = c.req.query("query")?.trim().slice(0, MAX_QUERY);
        const { users, total } = await accounts.list({
          limit: readNumber(c, "limit", 50, 1, MAX_PAGE),
          offset: readNumber(c, "offset", 0, 0, 1e9),
          ...(query ? { query } : {}),
        });
        const { administration } = server.deps;
        const described = users.map(async (user) => ({
          ...user,
          limits: (await administration?.limitsOf(user.id)) ?? {},
          spentUsd: (await administration?.spentBy(user.id)) ?? 0,
        }));
        return c.json({ users: await Promise.all(described), total });
      },
    },
    {
      method: "POST",
      path: "/admin/users",
      async handle(c) {
        const request = parseRequest(newAccountRequest, await readBody(c));
        await administrator(c, server);
        return c.json(await accountsOf(server.deps).create(request), 201);
      },
    },
    {
      method: "POST",
      path: "/admin/users/:id/suspend",
      async handle(c) {
        const { suspended } = parseRequest(suspendRequest, await readBody(c));
        const by = await administrator(c, server);
        await accountsOf(server.deps).suspend(by, c.req.param("id") ?? "", suspended);
        return c.json({ id: c.req.param("id"), suspended });
      },
    },
    {
      method: "POST",
      path: "/admin/users/:id/role",
      async handle(c) {
        const { role } = parseRequest(roleRequest, await readBody(c));
        const by = await administrator(c, server);
        await accountsOf(server.deps).setRole(by, c.req.param("id") ?? "", role);
        return c.json({ id: c.req.param("id"), role });
      },
    },
    {
      method: "POST",
      path: "/admin/users/:id/password",
      async handle(c) {
        const { password } = parseRequest(newPasswordRequest, await readBody(c));
        await administrator(c, server);
        await accountsOf(server.deps).setPassword(c.req.param("id") ?? "", password);
        return c.body(null, 204);
      },
    },
    {
      method: "DELETE",
      path: "/admin/users/:id",
      async handle(c) {
        const by = await administrator(c, server);
        await accountsOf(server.deps).remove(by, c.req.param("id") ?? "");
        return c.body(null, 204);
      },
    },
  ];
}

function readBody(c: HttpContext): Promise<unknown> {
  return readJson(c.req.raw, c.env?.incoming);
}

function visitorOf(c: HttpContext, server: ServerState): Visitor {
  const guest = server.deps.identity.guestIn(credentialsOf(c));
  const address = clientAddress(c.env?.incoming, server.deps.config.trustProxy === true);
  return { address, ...(guest ? { guest } : {}) };
}

/** The token goes to programs in the body and to browsers as a cookie, which takes the place of the guest's. */
function answerSignedIn(
  c: HttpContext,
  server: ServerState,
  signedIn: SignedIn,
  status: 200 | 201,
): Response {
  const { account, token, maxAge } = signedIn;
  const { cookie } = credentialsOf(c);
  c.header("set-cookie", cookieText(c, server, { name: SESSION_COOKIE, value: token, maxAge }));
  if (cookie(GUEST_COOKIE) !== undefined) {
    const gone = cookieText(c, server, { name: GUEST_COOKIE, value: "", maxAge: 0 });
    c.header("set-cookie", gone, { append: true });
  }
  return c.json({ user: account, token }, status);
}
