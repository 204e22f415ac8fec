import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ListedKey } from "../src/protocol/accounts.ts";
import { startSearch } from "../src/sim/testing/search.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { ask, bearer, call, signUp, type TestAccount } from "./support/accounts.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, firstEvent } from "./support/sse.ts";

/** One dollar per request. */
const usage = { inputTokens: 1_000_000, outputTokens: 0 };
const folder = temporaryFolder();
const closers: (() => unknown)[] = [];
let upstream: Upstream;
let server: ServerProcess;
let admin: TestAccount;
let owner: TestAccount;
let search: Awaited<ReturnType<typeof startSearch>>;

beforeAll(async () => {
  upstream = await startUpstream();
  search = await startSearch("tavily");
  server = await startServer(join(folder.path, "data"), {
    ...modelAt(upstream.url),
    ...search.settings,
    TACKLE_AUTH: "guest",
    TACKLE_ARTIFACT_MODEL: "openai/gpt-4o",
    TACKLE_REWRITE_MODEL: "openai/gpt-4o",
    TACKLE_PRICES: '{"openai/gpt-4o":{"input":1,"output":1}}',
    TACKLE_SEARCH_PRICES: '{"tavily":0.25}',
    TACKLE_MAX_TOKENS: "1000000000",
  });
  closers.push(
    () => server.stop(),
    () => upstream.close(),
    () => search.close(),
    () => folder.remove(),
  );
  admin = await signUp(server, "admin");
  owner = await signUp(server, "owner");
});

afterAll(async () => {
  for (const close of closers) await close();
});

type MadeKey = ListedKey & { key: string };

function makeKey(body: object, of = owner): Promise<MadeKey> {
  return ask<MadeKey>(server, "POST", "/me/keys", bearer(of.token), body);
}

async function listed(id: string): Promise<ListedKey | undefined> {
  const { keys } = await ask<{ keys: ListedKey[] }>(server, "GET", "/me/keys", bearer(owner.token));
  return keys.find((key) => key.id === id);
}

function chatWith(key: string, message = "Hello") {
  return chat(server.url, { message }, { headers: bearer(key) });
}

describe("a key with a budget", () => {
  it("stops runs with a clear event when the budget is spent, and affects no one else", async () => {
    upstream.respond(() => chatTurn({ text: "Here.", usage }));
    const { id, key } = await makeKey({ name: "build", budget: { usd: 1.5 } });
    const other = await makeKey({ name: "other" });
    for (let count = 0; count < 2; count++)
      expect(firstEvent(await chatWith(key), "done")).toMatchObject({ finishReason: "stop" });
    expect(await listed(id)).toMatchObject({ name: "build", budget: { usd: 1.5 }, spentUsd: 2 });
    const before = upstream.requests.length;
    const stopped = await chatWith(key);
    expect(firstEvent(stopped, "warning")).toMatchObject({
      code: "COST_LIMIT",
      message: expect.stringMatching(/budget of this API key is used up \(\$1\.5\)\..*owner can raise it/),
    });
    expect(firstEvent(stopped, "done")).toMatchObject({ finishReason: "length", iterations: 0 });
    expect(upstream.requests).toHaveLength(before);
    expect(firstEvent(await chatWith(other.key), "done").finishReason).toBe("stop");
    expect(firstEvent(await chatWith(owner.token), "done").finishReason).toBe("stop");
    expect((await listed(other.id))?.spentUsd).toBe(1);
  });

  it("is checked before each step of a run, with what that run has spent so far", async () => {
    const { id, key } = await makeKey({ budget: { usd: 2.5, days: 30 } });
    upstream.respond(() => chatTurn({ calls: [{ name: "get_time", arguments: {} }], usage }));
    const events = await chatWith(key, "Go on and on.");
    expect(firstEvent(events, "warning").message).toMatch(/budget of this API key in 30 days is used up/);
    expect(firstEvent(events, "done")).toMatchObject({ finishReason: "length", iterations: 3 });
    expect((await listed(id))?.spentUsd).toBe(3);
  });

  it("counts concurrent runs together", async () => {
    const { key } = await makeKey({ budget: { usd: 3 } });
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    upstream.respond(async () => {
      // Each run's first answer waits for the other's.
      waiting += 1;
      if (waiting === 2) gate.resolve();
      if (waiting <= 2) await gate.promise;
      return chatTurn({ calls: [{ name: "get_time", arguments: {} }], usage });
    });
    const before = upstream.requests.length;
    const runs = await Promise.all([chatWith(key), chatWith(key)]);
    for (const events of runs) expect(firstEvent(events, "done").finishReason).toBe("length");
    // Alone, each run would make three requests.
    expect(upstream.requests.length - before).toBeLessThanOrEqual(4);
  });

  it("is checked before a tool is called directly, and what models do for such a call is counted", async () => {
    const { id, key } = await makeKey({ budget: { usd: 1 } });
    upstream.respond(() => chatTurn({ text: "# Hello", usage }));
    const artifact = { type: "markdown", prompt: "say hello" };
    const made = await call(server, "POST", "/tools/generate_artifact", bearer(key), artifact);
    expect(made.status).toBe(200);
    expect((await listed(id))?.spentUsd).toBe(1);
    const refused = await call(server, "POST", "/tools/generate_artifact", bearer(key), artifact);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      code: "RATE_LIMITED",
      retryable: false,
      error: expect.stringContaining("budget of this API key"),
    });
    expect((await call(server, "POST", "/tools/get_time", bearer(key), {})).status).toBe(200);
  });

  it("counts a search's own price and the rewriting of its query, even if the search fails", async () => {
    const { id, key } = await makeKey({});
    upstream.respond(() => chatTurn({ text: "weather NYC", usage }));
    const body = { query: "Can you please tell me what the weather is like in NYC?" };
    expect((await call(server, "POST", "/tools/browser.search", bearer(key), body)).status).toBe(200);
    expect((await listed(id))?.spentUsd).toBe(1.25);
    search.fail({ status: 400, message: "no" });
    const other = { query: "Can you please tell me what the weather is like in Rome?" };
    const failed = await call(server, "POST", "/tools/browser.search", bearer(key), other);
    expect(failed.status).not.toBe(200);
    expect((await listed(id))?.spentUsd).toBe(2.25);
  });

  it("counts an artifact model's usage once, also in a run", async () => {
    const { id, key } = await makeKey({});
    upstream.play(
      chatTurn({
        calls: [{ name: "generate_artifact", arguments: { type: "markdown", prompt: "say hello" } }],
        usage,
      }),
      chatTurn({ text: "# Hello", usage }),
      chatTurn({ text: "Done.", usage }),
    );
    const events = await chatWith(key);
    expect(events.findLast((event) => event.type === "usage")).toMatchObject({ costUsd: 3 });
    expect((await listed(id))?.spentUsd).toBe(3);
  });

  it("can be changed only by the key's owner", async () => {
    upstream.respond(() => chatTurn({ text: "Here.", usage }));
    const { id, key } = await makeKey({ budget: { usd: 0 } });
    expect(firstEvent(await chatWith(key), "done").finishReason).toBe("length");
    const path = `/me/keys/${id}`;
    const raise = { budget: { usd: 5 } };
    expect((await call(server, "PATCH", path, bearer(key), raise)).status).toBe(403);
    expect((await call(server, "PATCH", path, bearer(admin.token), raise)).status).toBe(404);
    expect(await ask(server, "PATCH", path, bearer(owner.token), raise)).toMatchObject({
      budget: { usd: 5 },
      spentUsd: 0,
    });
    expect(firstEvent(await chatWith(key), "done").finishReason).toBe("stop");
    expect(await ask(server, "GET", "/me", bearer(key))).toMatchObject({
      key: { id, budget: { usd: 5 }, spentUsd: 1 },
    });
    expect(await ask(server, "PATCH", path, bearer(owner.token), { budget: null, name: "free" })).toEqual(
      expect.not.objectContaining({ budget: expect.anything() }),
    );
    expect(await listed(id)).toMatchObject({ name: "free", lastFour: key.slice(-4) });
  });

  it("refuses invalid budgets", async () => {
    for (const budget of [{ usd: -1 }, { usd: "5" }, { usd: 1, days: 0 }, { usd: 1, euros: 2 }, 5])
      expect((await call(server, "POST", "/me/keys", bearer(owner.token), { budget })).status).toBe(400);
  });
});
