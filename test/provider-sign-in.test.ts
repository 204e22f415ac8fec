import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { ask, bearer, call, PASSWORD, setUpTokenOf, signUp } from "./support/accounts.ts";
import { CLIENT, startProvider, type TestProvider, visitProvider } from "./support/oidc.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { postChat } from "./support/sse.ts";

const folder = temporaryFolder();
const servers: ServerProcess[] = [];
let provider: TestProvider;
let upstream: Upstream;

async function start(name: string, settings: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServer(join(folder.path, name), {
    ...modelAt(upstream.url),
    TACKLE_AUTH: "guest",
    TACKLE_OIDC_ISSUER: provider.url,
    TACKLE_OIDC_CLIENT_ID: CLIENT.id,
    TACKLE_OIDC_CLIENT_SECRET: CLIENT.secret,
    TACKLE_OIDC_NAME: "Acme",
    TACKLE_PUBLIC_URL: "http://chat.example",
    ...settings,
  });
  servers.push(server);
  return server;
}

interface Visit {
  /** The name on the provider's page; without one, the person cancels. */
  who?: string;
  setupToken?: string;
  place?: string;
  cookie?: string;
  /** Changes the answer of the provider on its way back. */
  change?(query: URLSearchParams): void;
  /** The cookies of another browser. */
  ticket?: string;
}

/** Signs in by the provider, as a browser does. */
async function visit(server: ServerProcess, { who, cookie = "", change, ticket, ...body }: Visit) {
  const begun = await call(server, "POST", "/auth/provider", { cookie }, body);
  const { url } = (await begun.json()) as { url: string };
  const kept = ticket ?? begun.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const back = await visitProvider(url, who === undefined ? { cancel: true } : { who });
  expect(back.origin + back.pathname).toBe("http://chat.example/auth/provider/callback");
  change?.(back.searchParams);
  const answer = await fetch(`${server.url}${back.pathname}${back.search}`, {
    headers: { cookie: [cookie, kept].filter(Boolean).join("; ") },
    redirect: "manual",
  });
  const session = answer.headers.getSetCookie().find((text) => /^tackle_session=[^;]/.test(text));
  return {
    status: answer.status,
    location: answer.headers.get("location"),
    cookie: session?.split(";")[0] ?? "",
    cookies: answer.headers.getSetCookie(),
    ticket: kept,
    back,
  };
}

const me = (server: ServerProcess, cookie: string) =>
  ask<{ id: string; email: string; role?: string; name: string; hasPassword: boolean }>(
    server,
    "GET",
    "/me",
    { cookie },
  );

beforeAll(async () => {
  upstream = await startUpstream();
  provider = await startProvider(() => ["http://chat.example/auth/provider/callback"]);
  provider.people.set("ada", { email: "Ada@Example.com", email_verified: true, name: "Ada" });
  provider.people.set("bob", { email: "bob@example.com", email_verified: true, name: "Bob" });
  provider.people.set("carol", { email: "carol@example.com", email_verified: true });
  provider.people.set("mallory", { email: "ada@example.com", email_verified: false });
  provider.people.set("silent", { email: "silent@example.com" });
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  await provider.close();
  await upstream.close();
  folder.remove();
});

describe("signing in by an OpenID provider", () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await start("open");
  });

  it("names the provider to visitors", async () => {
    const options = await ask(server, "GET", "/auth/options");
    expect(options).toMatchObject({ provider: { name: "Acme", signUp: true } });
  });

  it("makes the first account an administrator only with the set-up token", async () => {
    const without = await visit(server, { who: "ada" });
    expect(without).toMatchObject({ status: 302, location: "/sign-in?problem=setup", cookie: "" });
    const setupToken = setUpTokenOf(server) ?? "";
    const signedIn = await visit(server, { who: "ada", setupToken, place: "#/sessions/1" });
    expect(signedIn).toMatchObject({ status: 302, location: "/#/sessions/1" });
    expect(signedIn.cookies.some((text) => text.startsWith("tackle_provider=;"))).toBe(true);
    expect(await me(server, signedIn.cookie)).toMatchObject({
      email: "ada@example.com",
      name: "Ada",
      role: "admin",
      hasPassword: false,
    });
    const again = await visit(server, { who: "ada" });
    expect((await me(server, again.cookie)).id).toBe((await me(server, signedIn.cookie)).id);
  });

  it("moves a guest's conversations to the account", async () => {
    upstream.play(chatTurn({ text: "Hello" }));
    const first = await postChat(server.url, { message: "remember me", stream: false });
    const { sessionId } = (await first.json()) as { sessionId: string };
    const guest = first.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const { cookie, cookies } = await visit(server, { who: "bob", cookie: guest });
    expect(cookies.some((text) => text.startsWith("tackle_guest=;"))).toBe(true);
    const { sessions } = await ask<{ sessions: { id: string }[] }>(server, "GET", "/sessions", { cookie });
    expect(sessions.map(({ id }) => id)).toEqual([sessionId]);
  });

  it("opens an existing account for a verified address, and locks out whoever made it in advance", async () => {
    const squatter = await signUp(server, "carol");
    const key = await ask<{ key: string }>(server, "POST", "/me/keys", bearer(squatter.token), {});
    const { cookie } = await visit(server, { who: "carol" });
    expect(await me(server, cookie)).toMatchObject({ id: squatter.id, hasPassword: false });
    const body = { email: "carol@example.com", password: PASSWORD };
    for (const token of [squatter.token, key.key])
      expect((await call(server, "GET", "/me", bearer(token))).status).toBe(401);
    expect((await call(server, "POST", "/auth/sign-in", {}, body)).status).toBe(401);
  });

  it("keeps the password of an account that an administrator made", async () => {
    const { cookie } = await visit(server, { who: "ada" });
    const body = { email: "dan@example.com", password: PASSWORD };
    await ask(server, "POST", "/admin/users", { cookie }, body);
    provider.people.set("dan", { email: "dan@example.com", email_verified: true });
    expect(await me(server, (await visit(server, { who: "dan" })).cookie)).toMatchObject({
      hasPassword: true,
    });
    expect((await call(server, "POST", "/auth/sign-in", {}, body)).status).toBe(200);
  });

  it("refuses an address that the provider has not verified", async () => {
    for (const who of ["mallory", "silent"])
      expect(await visit(server, { who })).toMatchObject({
        location: "/sign-in?problem=unverified",
        cookie: "",
      });
  });

  it("refuses answers that were not meant for this browser", async () => {
    const expired = { location: "/sign-in?problem=expired", cookie: "" };
    const { ticket, back } = await visit(server, { who: "bob" });
    expect(await visit(server, { who: "bob", ticket })).toMatchObject(expired);
    expect(await visit(server, { who: "bob", ticket: "none=1" })).toMatchObject(expired);
    const change = (query: URLSearchParams) => query.set("state", "another");
    expect(await visit(server, { who: "bob", change })).toMatchObject(expired);
    // A code works once.
    const replayed = await fetch(`${server.url}${back.pathname}${back.search}`, {
      headers: { cookie: ticket },
      redirect: "manual",
    });
    expect(replayed.headers.get("location")).toBe("/sign-in?problem=failed");
    const foreign = (query: URLSearchParams) => query.set("iss", "https://evil.example");
    expect(await visit(server, { who: "bob", change: foreign })).toMatchObject({
      location: "/sign-in?problem=failed",
    });
  });

  it("says that the person ended it, and takes no foreign page's request", async () => {
    expect(await visit(server, {})).toMatchObject({ location: "/sign-in?problem=denied" });
    const foreign = await call(server, "POST", "/auth/provider", { origin: "https://evil.example" }, {});
    expect(foreign.status).toBe(403);
  });

  it("lets nobody in who is suspended, and writes all of it into the audit log", async () => {
    const { cookie } = await visit(server, { who: "ada" });
    const bob = await me(server, (await visit(server, { who: "bob" })).cookie);
    await ask(server, "POST", `/admin/users/${bob.id}/suspend`, { cookie }, { suspended: true });
    expect(await visit(server, { who: "bob" })).toMatchObject({ location: "/sign-in?problem=suspended" });
    const { entries } = await ask<{ entries: { action: string; actor: string; subject: object }[] }>(
      server,
      "GET",
      "/admin/audit?limit=200",
      { cookie },
    );
    const byProvider = entries.filter(({ subject }) => "by" in subject && subject.by === "provider");
    expect(new Set(byProvider.map(({ action }) => action))).toEqual(
      new Set(["auth.signed_in", "auth.signed_up", "auth.failed"]),
    );
    expect(byProvider.some(({ actor }) => actor === bob.id)).toBe(true);
  });

  it("lets somebody without a password leave right after signing in", async () => {
    provider.people.set("eve", { email: "eve@example.com", email_verified: true });
    const { cookie } = await visit(server, { who: "eve" });
    expect((await call(server, "DELETE", "/me", { cookie }, {})).status).toBe(204);
    expect((await call(server, "GET", "/me", { cookie })).status).toBe(401);
  });

  it("limits attempts by address", async () => {
    const limited = await start("limited", { TACKLE_TRUST_PROXY: "1" });
    const from = { "x-forwarded-for": "203.0.113.7" };
    for (let attempt = 0; attempt < 60; attempt++)
      expect((await call(limited, "POST", "/auth/provider", from, {})).status).toBe(200);
    const refused = await call(limited, "POST", "/auth/provider", from, {});
    expect(refused.status).toBe(429);
    expect((await call(limited, "POST", "/auth/provider", {}, {})).status).toBe(200);
  });

  it("says that the provider can't be reached, and recovers", async () => {
    const other = await start("down");
    provider.break(503);
    const refused = await call(other, "POST", "/auth/provider", {}, {});
    expect([refused.status, await refused.json()]).toMatchObject([
      502,
      { error: "Acme can’t be reached right now. Try again in a moment.", details: { problem: "down" } },
    ]);
    provider.break(undefined);
    expect((await call(other, "POST", "/auth/provider", {}, {})).status).toBe(200);
    expect(other.output()).toContain("it answered 503");
  });

  it("makes accounts only as the setting for sign-up says", async () => {
    const closed = await start("closed", { TACKLE_AUTH: "required" });
    await signUp(closed, "owner");
    expect(await visit(closed, { who: "bob" })).toMatchObject({ location: "/sign-in?problem=closed" });
    const people = await start("provider", { TACKLE_AUTH: "required", TACKLE_SIGN_UP: "provider" });
    await signUp(people, "owner");
    expect(await visit(people, { who: "bob" })).toMatchObject({ location: "/" });
    const body = { email: "stranger@example.com", password: PASSWORD };
    expect((await call(people, "POST", "/auth/sign-up", {}, body)).status).toBe(403);
  });

  it("trusts addresses without a word about them if the operator says so", async () => {
    const trusting = await start("trusting", { TACKLE_OIDC_TRUST_EMAIL: "1" });
    await signUp(trusting, "owner");
    expect(await visit(trusting, { who: "silent" })).toMatchObject({ location: "/" });
    expect(await visit(trusting, { who: "mallory" })).toMatchObject({
      location: "/sign-in?problem=unverified",
    });
  });
});
