import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Device } from "../src/protocol/accounts.ts";
import type { Situation } from "../src/protocol/administration.ts";
import type { VendorListing } from "../src/protocol/catalogue.ts";
import type { UsageReport } from "../src/protocol/ledger.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { ask, bearer, call, PASSWORD, signUp, type TestAccount } from "./support/accounts.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, eventsOf, firstEvent, postChat, readFrames } from "./support/sse.ts";

/** Each model request costs one dollar. */
const usage = { inputTokens: 1_000_000, outputTokens: 0 };
const release = findRelease();
const folder = temporaryFolder();
const roots = join(folder.path, "files");
let upstream: Upstream;
let server: ServerProcess;
let admin: TestAccount;
let ada: TestAccount;

beforeAll(async () => {
  mkdirSync(roots);
  upstream = await startUpstream({ respond: () => chatTurn({ text: "Here.", usage }) });
  server = await startServer(join(folder.path, "data"), {
    ...modelAt(upstream.url),
    TACKLE_AUTH: "guest",
    TACKLE_ROOTS: roots,
    TACKLE_ARTIFACT_MODEL: "openai/gpt-4o-mini",
    TACKLE_PRICES: '{"openai/gpt-4o":{"input":1,"output":1},"openai/gpt-4o-mini":{"input":0.5,"output":1}}',
    TACKLE_MAX_TOKENS: "1000000000",
    TACKLE_MAX_RETRIES: "0",
    TACKLE_LIMITS: '{"web_fetch":{"guest":20,"account":200}}',
  });
  admin = await signUp(server, "admin");
  ada = await signUp(server, "ada");
});

afterAll(async () => {
  await server.stop();
  await upstream.close();
  folder.remove();
});

const get = <Answer>(path: string, who: TestAccount) => ask<Answer>(server, "GET", path, bearer(who.token));

async function readOverview(): Promise<Situation> {
  return get<Situation>("/admin/now", admin);
}

describe("usage", () => {
  it("is reported by day, model and tool, and lists the models that tools used separately", async () => {
    upstream.play(
      chatTurn({
        calls: [{ name: "generate_artifact", arguments: { type: "markdown", prompt: "say hello" } }],
        usage,
      }),
      chatTurn({ text: "# Hello", usage }),
      chatTurn({ text: "Done.", usage }),
    );
    const headers = bearer(ada.token);
    await chat(server.url, { message: "Make it" }, { headers });
    await ask(server, "POST", "/tools/get_time", headers, {});
    const report = await get<UsageReport>("/me/usage?days=7&timeZone=Europe/Berlin", ada);
    expect(report.timeZone).toBe("Europe/Berlin");
    expect(report.days).toHaveLength(7);
    expect(report.days.at(-1)).toMatchObject({ runs: 1, inputTokens: 3_000_000, costUsd: 2.5 });
    expect(report.models).toMatchObject([
      { model: "openai/gpt-4o", inputTokens: 2_000_000, costUsd: 2 },
      { model: "openai/gpt-4o-mini", inputTokens: 1_000_000, costUsd: 0.5 },
    ]);
    expect(report.tools).toMatchObject([
      { tool: "generate_artifact", calls: 1, failures: 0, inputTokens: 1_000_000, costUsd: 0.5 },
      { tool: "get_time", calls: 1, p50Ms: expect.any(Number) },
    ]);
    const admins = await get<UsageReport>("/me/usage", admin);
    expect(admins).toMatchObject({ total: { runs: 0, costUsd: 0 }, models: [], tools: [] });
    expect(admins.days).toHaveLength(30);
  });

  it("rejects invalid days and time zones", async () => {
    for (const query of ["days=0", "days=367", "days=x", "timeZone=Mars/Base", "by=week"])
      expect((await call(server, "GET", `/me/usage?${query}`, bearer(ada.token))).status).toBe(400);
  });

  it("is shown to the administrator in total and per person", async () => {
    const all = await get<UsageReport>("/admin/usage?days=1", admin);
    expect(all.total).toMatchObject({ runs: 1, costUsd: 2.5 });
    const { activity, ...same } = all;
    expect(await get<UsageReport>(`/admin/users/${ada.id}/usage?days=1`, admin)).toEqual(same);
    const counted = {
      people: 1,
      calls: 2,
      failures: 0,
      running: expect.any(Number),
      bytes: expect.any(Number),
    };
    expect(activity).toEqual({ total: counted, each: [counted] });
    expect(activity?.total.bytes).toBeGreaterThan(10_000);
    const hours = await get<UsageReport>("/admin/usage?days=1&by=hour", admin);
    expect(hours).toMatchObject({
      days: [],
      total: { runs: 1, costUsd: 2.5 },
      activity: { total: { people: 1 } },
    });
    expect(hours.hours).toHaveLength(24);
    expect(hours.hours?.reduce((sum, { runs }) => sum + runs, 0)).toBe(1);
    expect(hours.activity?.each).toHaveLength(24);
    const { users } = await get<{ users: object[] }>("/admin/users?query=ADA", admin);
    expect(users).toMatchObject([{ email: "ada@example.com", spentUsd: 2.5, limits: {} }]);
  });
});

describe("personal limits", () => {
  it("override the default limits from the next request on, and can be removed", async () => {
    const path = `/admin/users/${ada.id}/limits`;
    const headers = bearer(ada.token);
    const put = (limits: object) => ask(server, "PUT", path, bearer(admin.token), { limits });
    expect(await put({ chat: 1, generate_artifact: 0, costUsd: 3 })).toEqual({
      id: ada.id,
      limits: { chat: 1, generate_artifact: 0, costUsd: 3 },
    });
    const refused = await call(server, "POST", "/chat", headers, { message: "Hello" });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-ratelimit-limit")).toBe("1");
    const artifact = { type: "markdown", code: "# Hello" };
    expect((await call(server, "POST", "/tools/generate_artifact", headers, artifact)).status).toBe(429);
    expect(await get("/me", ada)).toMatchObject({
      budget: { usd: 3, spentUsd: 2.5 },
      limits: { chat: { limit: 1, remaining: 0 }, generate_artifact: { limit: 0 }, search: { limit: 100 } },
    });
    await put({ chat: null, generate_artifact: null });
    expect(firstEvent(await chat(server.url, { message: "Hello" }, { headers }), "done").finishReason).toBe(
      "stop",
    );
    const third = await chat(server.url, { message: "Hello" }, { headers });
    expect(firstEvent(third, "warning")).toMatchObject({ code: "COST_LIMIT" });
    expect(await put({ costUsd: null })).toMatchObject({ limits: {} });
  });

  it("can be set for all accounts, but not what the operator has set", async () => {
    const headers = bearer(admin.token);
    const put = (role: string, limits: object) =>
      call(server, "PUT", `/admin/limits/${role}`, headers, { limits });
    expect((await put("account", { search: 7, costUsd: 50 })).status).toBe(200);
    expect(await get("/me", ada)).toMatchObject({ budget: { usd: 50 }, limits: { search: { limit: 7 } } });
    const { rows } = await get<{ rows: object[] }>("/admin/limits", admin);
    expect(rows).toContainEqual({
      name: "search",
      guest: 20,
      account: 7,
      from: { guest: "default", account: "administrator" },
    });
    await ask(server, "PUT", `/admin/users/${ada.id}/limits`, headers, { limits: { search: 9 } });
    expect(await get("/me", ada)).toMatchObject({ limits: { search: { limit: 9 } } });
    await ask(server, "PUT", `/admin/users/${ada.id}/limits`, headers, { limits: { search: null } });
    expect(rows).toContainEqual(
      expect.objectContaining({ name: "web_fetch", from: { guest: "operator", account: "operator" } }),
    );
    expect((await put("account", { web_fetch: 1 })).status).toBe(409);
    expect((await put("account", { search: -1 })).status).toBe(400);
    expect((await put("admin", { search: 1 })).status).toBe(404);
    expect((await call(server, "PUT", "/admin/limits/guest", bearer(ada.token), { limits: {} })).status).toBe(
      403,
    );
    await put("account", { search: null, costUsd: null });
    expect(await get("/me", ada)).toMatchObject({ limits: { search: { limit: 100 } } });
  });

  it("are refused if they are invalid or the person does not exist", async () => {
    const put = (id: string, limits: object) =>
      call(server, "PUT", `/admin/users/${id}/limits`, bearer(admin.token), { limits });
    expect((await put(ada.id, { chat: -1 })).status).toBe(400);
    expect((await put(ada.id, { everything: 1 })).status).toBe(400);
    expect((await put("nobody", { chat: 1 })).status).toBe(404);
  });
});

describe("a person's devices and data", () => {
  it("are listed for the administrator, who can sign each device out", async () => {
    const grace = await signUp(server, "grace");
    const other = await ask<{ token: string }>(
      server,
      "POST",
      "/auth/sign-in",
      { "user-agent": "curl/8" },
      {
        email: "grace@example.com",
        password: PASSWORD,
      },
    );
    const path = `/admin/users/${grace.id}/devices`;
    const { devices } = await get<{ devices: Device[] }>(path, admin);
    expect(devices).toHaveLength(2);
    expect(devices.every(({ current }) => !current)).toBe(true);
    const ended = devices.find(({ userAgent }) => userAgent === "curl/8");
    expect((await call(server, "DELETE", `${path}/${ended?.id}`, bearer(grace.token))).status).toBe(403);
    expect((await call(server, "DELETE", `${path}/${ended?.id}`, bearer(admin.token))).status).toBe(204);
    expect((await call(server, "DELETE", `${path}/${ended?.id}`, bearer(admin.token))).status).toBe(404);
    expect((await call(server, "GET", "/me/keys", bearer(other.token))).status).toBe(401);
    expect((await call(server, "GET", "/me/keys", bearer(grace.token))).status).toBe(200);
    expect((await call(server, "GET", "/admin/users/nobody/devices", bearer(admin.token))).status).toBe(404);
  });

  it("are counted before they are deleted", async () => {
    const counted = await get<object>(`/admin/users/${ada.id}/data`, admin);
    const { sessions } = await get<{ sessions: object[] }>("/sessions", ada);
    expect(counted).toMatchObject({ id: ada.id, conversations: sessions.length, artifacts: 1, keys: 0 });
    expect((await call(server, "GET", `/admin/users/${ada.id}/data`, bearer(ada.token))).status).toBe(403);
    expect((await call(server, "GET", "/admin/users/nobody/data", bearer(admin.token))).status).toBe(404);
  });
});

describe("the models that people are offered", () => {
  const offer = (who: string, body: object) =>
    ask(
      server,
      "PUT",
      who === "ada" ? `/admin/users/${ada.id}/models` : `/admin/models/${who}`,
      bearer(admin.token),
      body,
    );
  const idsFor = async (path: string, headers: Record<string, string>) => {
    const { models, data } = await ask<Record<"models" | "data", { id: string; default: boolean }[]>>(
      server,
      "GET",
      path,
      headers,
    );
    return (models ?? data).map(({ id }) => id);
  };

  it("are the only ones that are listed and answer, through every protocol, from the next request on", async () => {
    const headers = bearer(ada.token);
    expect(await idsFor("/models", headers)).toContain("demo/demo");
    await offer("account", { models: ["openai/gpt-4o-mini", "anthropic/*"], default: "openai/gpt-4o-mini" });
    expect(await idsFor("/models", headers)).toEqual(["openai/gpt-4o-mini"]);
    expect(await idsFor("/v1/models", headers)).toEqual(["openai/gpt-4o-mini"]);
    expect(await idsFor("/models", {})).toContain("demo/demo");
    expect(await idsFor("/models", bearer(admin.token))).toContain("demo/demo");
    const vendors = async (who: TestAccount) =>
      (await get<{ vendors: VendorListing[] }>("/me/vendors", who)).vendors.filter(
        ({ kind }) => kind === "models",
      );
    const named = (await vendors(ada)).filter(({ models, offers = [] }) => models + offers.length > 0);
    expect(named.map(({ id, models }) => [id, models])).toEqual([
      ["openai", 1],
      ["anthropic", 0],
    ]);
    expect((await vendors(admin)).map(({ id }) => id)).toContain("mistral");
    const started = await chat(server.url, { message: "Hello" }, { headers });
    expect(firstEvent(started, "session").model).toBe("openai/gpt-4o-mini");
    const hello = [{ role: "user", content: "Hello" }];
    const doors: [path: string, body: object][] = [
      ["/chat", { message: "Hello", model: "demo/demo" }],
      ["/v1/chat/completions", { model: "openai/gpt-4o", messages: hello }],
      ["/v1/chat/completions", { model: "gpt-4o", messages: hello }],
      ["/v1/responses", { model: "demo/demo", input: "Hello" }],
      ["/v1/messages", { model: "demo/demo", messages: hello, max_tokens: 100 }],
      ["/v1/messages/count_tokens", { model: "demo/demo", messages: hello }],
      ["/v1/completions", { model: "demo/demo", prompt: "Hello" }],
      ["/v1/embeddings", { model: "openai/text-embedding-3-small", input: "Hello" }],
    ];
    for (const [path, body] of doors) {
      const answer = await call(server, "POST", path, headers, body);
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await answer.text()).toContain("not offered to you");
    }
    const { key } = await ask<{ key: string }>(server, "POST", "/me/keys", bearer(admin.token), {});
    expect(await idsFor("/models", bearer(key))).toEqual(["openai/gpt-4o-mini"]);
  });

  it("can be other ones for one person, and all of them again", async () => {
    const headers = bearer(ada.token);
    await offer("ada", { models: ["demo/*"] });
    expect(await idsFor("/models", headers)).toEqual(["demo/demo"]);
    expect(firstEvent(await chat(server.url, { message: "Hello" }, { headers }), "session").model).toBe(
      "demo/demo",
    );
    const { id } = await ask<{ id: string }>(server, "POST", "/projects", headers, {
      name: "Work",
      model: "openai/gpt-4o",
    });
    const inside = await chat(server.url, { message: "Hello", projectId: id }, { headers });
    expect(firstEvent(inside, "session").model).toBe("demo/demo");
    const { users } = await get<{ users: object[] }>("/admin/users?query=ada@", admin);
    expect(users).toMatchObject([{ models: { models: ["demo/*"] } }]);
    await offer("ada", {});
    await offer("account", {});
    expect(await get("/admin/models", admin)).toMatchObject({ roles: { guest: {}, account: {}, admin: {} } });
    expect(firstEvent(await chat(server.url, { message: "Hello" }, { headers }), "session").model).toBe(
      "openai/gpt-4o",
    );
  });

  it("are refused if they are invalid, or their role or person does not exist", async () => {
    const put = async (path: string, body: object, who = admin) =>
      (await call(server, "PUT", path, bearer(who.token), body)).status;
    expect(await put("/admin/models/guest", { models: [] })).toBe(400);
    expect(await put("/admin/models/guest", { default: "gpt-4o" })).toBe(400);
    expect(await put("/admin/models/nobody", {})).toBe(404);
    expect(await put("/admin/users/nobody/models", {})).toBe(404);
    expect(await put("/admin/models/guest", {}, ada)).toBe(403);
  });
});

describe("the live overview", () => {
  it("lists runs, approvals and errors without their contents", async () => {
    const write = { operation: "write", path: "secret-plan.txt", content: "swordfish" };
    upstream.play(chatTurn({ calls: [{ name: "filesystem", arguments: write }], usage }));
    const headers = bearer(ada.token);
    const waiting = await postChat(server.url, { message: "Write the swordfish plan" }, { headers });
    const events = eventsOf(
      await readFrames(waiting, ({ data }) => !data.includes("tool_approval_required")),
    );
    const { runId } = firstEvent(events, "session");
    const now = await readOverview();
    expect(now.runs).toMatchObject([
      {
        id: runId,
        status: "waiting",
        model: "openai/gpt-4o",
        user: ada.email,
        waitsFor: { for: "decision", tool: "filesystem" },
      },
    ]);
    expect(now.approvals).toMatchObject([
      { runId, toolName: "filesystem", user: ada.email, expiresAt: expect.any(String) },
    ]);
    expect(JSON.stringify(now)).not.toContain("swordfish");
    await ask(server, "POST", `/runs/${runId}/cancel`, headers, {});
    await expect.poll(async () => (await readOverview()).runs, { timeout: 20_000 }).toEqual([]);
  });

  it("says what an answer waits for: the model, a tool or a person", async () => {
    const artifact = { name: "generate_artifact", arguments: { type: "markdown", prompt: "say hello" } };
    const question = { name: "ask_user", arguments: { question: "Which color?", options: ["red", "blue"] } };
    const late = { ...chatTurn({ text: "Late.", usage }), delayMs: 60_000 };
    const waits = [
      { turns: [late], waitsFor: { for: "model" } },
      {
        turns: [chatTurn({ calls: [artifact], usage }), late],
        waitsFor: { for: "tool", tool: artifact.name },
      },
      { turns: [chatTurn({ calls: [question], usage })], waitsFor: { for: "answer", tool: question.name } },
    ];
    for (const { turns, waitsFor } of waits) {
      upstream.play(...turns);
      const response = await postChat(server.url, { message: "Go" }, { headers: bearer(ada.token) });
      await expect
        .poll(async () => (await readOverview()).runs.map((run) => run.waitsFor), { timeout: 20_000 })
        .toEqual([waitsFor]);
      const [run] = (await readOverview()).runs;
      expect(
        (await call(server, "POST", `/admin/runs/${run?.id}/cancel`, bearer(admin.token), {})).status,
      ).toBe(204);
      await expect.poll(async () => (await readOverview()).runs, { timeout: 20_000 }).toEqual([]);
      await response.body?.cancel();
    }
  });

  it("groups errors by code and place, and lets an administrator close a breaker", async () => {
    for (const { token } of [ada, admin]) {
      upstream.play(errorTurn(500, { message: "broken, says swordfish" }));
      await chat(server.url, { message: "Hello" }, { headers: bearer(token) });
    }
    // One whose caller gets the failure as the status of the response is one error, too.
    upstream.play(errorTurn(500, { message: "broken, says swordfish" }));
    const whole = await call(server, "POST", "/chat", bearer(ada.token), { message: "Hello", stream: false });
    expect(whole.status).toBe(502);
    interface Errors {
      counts: { code: string; source: string; count: number }[];
      latest: { requestId: string }[];
      days: { count: number; codes: Record<string, number> }[];
      hours?: Errors["days"];
    }
    const { counts, latest, days } = await get<Errors>("/admin/errors?days=90", admin);
    expect(days).toHaveLength(90);
    expect(days.at(-1)?.codes.UPSTREAM_ERROR).toBe(3);
    const { hours = [] } = await get<Errors>("/admin/errors?days=1&by=hour", admin);
    expect(hours).toHaveLength(24);
    expect(hours.reduce((sum, { codes }) => sum + (codes.UPSTREAM_ERROR ?? 0), 0)).toBe(3);
    expect(counts).toContainEqual(
      expect.objectContaining({ code: "UPSTREAM_ERROR", source: "model:openai/gpt-4o", count: 3 }),
    );
    expect(latest[0]?.requestId).toBeTruthy();
    expect(JSON.stringify({ counts, latest })).not.toContain("swordfish");
    const [open] = (await readOverview()).breakers;
    expect(open).toMatchObject({ name: "model:openai/gpt-4o:chat", state: "open" });
    const path = `/admin/breakers/${encodeURIComponent("model:openai/gpt-4o:chat")}/close`;
    expect(await ask(server, "POST", path, bearer(admin.token))).toEqual({ breakers: [] });
    const events = await chat(server.url, { message: "Hello" }, { headers: bearer(ada.token) });
    expect(firstEvent(events, "done").finishReason).toBe("stop");
  });

  it("is visible only to administrators", async () => {
    const { key } = await ask<{ key: string }>(server, "POST", "/me/keys", bearer(admin.token), {});
    for (const path of ["/admin/usage", "/admin/now", "/admin/errors", `/admin/users/${ada.id}/usage`])
      for (const shown of [bearer(ada.token), bearer(key), {}])
        expect((await call(server, "GET", path, shown)).status).toBe(403);
  });
});

describe.skipIf(!release)("two instances on one database", () => {
  it("share a key's budget and report the same usage", async () => {
    if (!release) return;
    const cluster = await startCluster(release);
    const settings = {
      ...modelAt(upstream.url),
      DATABASE_URL: cluster.url,
      TACKLE_SECRET: "the same for all instances, and long enough",
      TACKLE_AUTH: "guest",
      TACKLE_PRICES: '{"openai/gpt-4o":{"input":1,"output":1}}',
      TACKLE_MAX_TOKENS: "1000000000",
    };
    const one = await startServer(join(folder.path, "one"), settings);
    const two = await startServer(join(folder.path, "two"), settings);
    try {
      const grace = await signUp(one, "Grace");
      const { key } = await ask<{ key: string }>(one, "POST", "/me/keys", bearer(grace.token), {
        budget: { usd: 2 },
      });
      const headers = bearer(key);
      upstream.respond(() => chatTurn({ calls: [{ name: "get_time", arguments: {} }], usage }));
      const runs = await Promise.all(
        [one, two].map(({ url }) => chat(url, { message: "Go on" }, { headers })),
      );
      for (const events of runs) expect(firstEvent(events, "warning").code).toBe("COST_LIMIT");
      // With separate budgets, each instance would spend two dollars.
      const spent = runs.map((events) => events.findLast((event) => event.type === "usage")?.costUsd ?? 0);
      expect(Math.min(...spent)).toBeLessThanOrEqual(2);
      expect((spent[0] ?? 0) + (spent[1] ?? 0)).toBeLessThanOrEqual(4);
      const third = await chat(two.url, { message: "Once more" }, { headers });
      expect(firstEvent(third, "done")).toMatchObject({ finishReason: "length", iterations: 0 });
      const reportOf = (instance: ServerProcess) =>
        ask<UsageReport>(instance, "GET", "/admin/usage?days=2", bearer(grace.token));
      // Each instance stores its tool usage after a short delay, and at the latest when usage is requested.
      await reportOf(two);
      const reports = [await reportOf(one), await reportOf(two)];
      expect(reports[0]).toEqual(reports[1]);
      expect(reports[0]?.total.costUsd).toBeCloseTo((spent[0] ?? 0) + (spent[1] ?? 0));
      for (const query of ["GRACE@", "Grace", "race@exam"]) {
        const path = `/admin/users?query=${encodeURIComponent(query)}`;
        expect(await ask(two, "GET", path, bearer(grace.token))).toMatchObject({
          total: 1,
          users: [{ email: grace.email.toLowerCase() }],
        });
      }
      expect(await ask(two, "GET", "/admin/users?query=nobody", bearer(grace.token))).toMatchObject({
        total: 0,
      });
    } finally {
      upstream.respond(() => chatTurn({ text: "Here.", usage }));
      await one.stop();
      await two.stop();
      await cluster.dispose();
    }
  });
});

it("shows usage to the local owner of a server without accounts", async () => {
  const own = temporaryFolder();
  const local = await startServer(own.path, { TACKLE_MODEL: "demo/demo" });
  try {
    await chat(local.url, { message: "What time is it in Tokyo?" });
    const report = await ask<UsageReport>(local, "GET", "/admin/usage?days=1");
    expect(report.total.runs).toBe(1);
    expect(report.tools).toMatchObject([{ tool: "get_time", calls: 1 }]);
    expect(await ask(local, "GET", "/admin/now")).toMatchObject({ runs: [], approvals: [] });
    expect((await call(local, "GET", "/admin/users")).status).toBe(404);
  } finally {
    await local.stop();
    own.remove();
  }
});
