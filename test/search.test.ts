import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type SearchStandIn, STAND_IN_KEY, startSearch } from "../src/sim/testing/search.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, firstEvent } from "./support/sse.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

let count = 0;
async function server(env: Record<string, string>): Promise<ServerProcess> {
  count += 1;
  // DuckDuckGo needs no setting. The real one is never asked.
  const usual = { DUCKDUCKGO_BASE_URL: "http://127.0.0.1:9" };
  const started = await startServer(`${folder.path}/${count}`, { ...usual, ...env });
  closers.push(() => started.stop());
  return started;
}

async function standIn(...options: Parameters<typeof startSearch>): Promise<SearchStandIn> {
  const search = await startSearch(...options);
  closers.push(() => search.close());
  return search;
}

async function model(): Promise<Upstream> {
  const upstream = await startUpstream();
  closers.push(() => upstream.close());
  return upstream;
}

async function callTool({ url }: ServerProcess, name: string, args: unknown, token?: string) {
  const response = await fetch(`${url}/tools/${name}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(args),
  });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body, retryAfter: response.headers.get("retry-after") };
}

const toolNames = async ({ url }: ServerProcess) => {
  const { tools } = (await (await fetch(`${url}/tools`)).json()) as { tools: { name: string }[] };
  return tools.map(({ name }) => name).filter((name) => name.includes("search"));
};

describe("a turn in which the model searches", () => {
  it("shows the sources, gives the model numbers to cite, and caches the results", async () => {
    const tavily = await standIn("tavily");
    const upstream = await model();
    const { url } = await server({ ...modelAt(upstream.url), ...tavily.settings });
    const search = { name: "browser_search", arguments: { query: "tallest lighthouse", maxResults: 2 } };
    upstream.play(
      chatTurn({ calls: [search] }),
      chatTurn({ calls: [{ ...search, id: "call_again" }] }),
      chatTurn({ text: "In Jeddah [1]." }),
    );
    const events = await chat(url, { message: "Where is the tallest lighthouse?" });
    const results = events.filter((event) => event.type === "tool_result");
    expect(results).toMatchObject([
      { toolName: "browser.search", success: true, cached: false, retryCount: 0 },
      { toolName: "browser.search", success: true, cached: true },
    ]);
    const searches = events.filter((event) => event.type === "web_search");
    expect(searches).toMatchObject([
      {
        data: {
          query: "tallest lighthouse",
          provider: "tavily",
          sources: [
            {
              title: "Lighthouses of the world",
              url: "https://lighthouses.example/list",
              relevanceScore: 0.97,
            },
            { url: "https://encyclopedia.example/lighthouse" },
          ],
        },
      },
      { toolCallId: "call_again", data: { provider: "tavily" } },
    ]);
    expect(searches[0]?.data).not.toHaveProperty("rewrittenQuery");
    expect(tavily.requests).toHaveLength(1);
    const asked = (await upstream.received(2)).body as { messages: { role: string; content: string }[] };
    const told = asked.messages.at(-1)?.content ?? "";
    expect(told).toContain("<trust>untrusted</trust>");
    expect(told).toContain(
      "WEB SEARCH RESULTS\nQuery: tallest lighthouse\n\nSource 1: Lighthouses of the world",
    );
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('tackle_tool_cost_usd_total{tool="browser.search"} 0.008');
  });

  it("rewrites a conversational query with a model, and shows both", async () => {
    const tavily = await standIn("tavily");
    const upstream = await model();
    const { url } = await server({ ...modelAt(upstream.url), ...tavily.settings });
    const query = "Can you please tell me what the weather is like in NYC?";
    upstream.play(
      chatTurn({ calls: [{ name: "browser_search", arguments: { query } }] }),
      chatTurn({ text: 'Query: "weather NYC"' }),
      chatTurn({ text: "Sunny [1]." }),
    );
    const events = await chat(url, { message: query });
    expect(firstEvent(events, "web_search").data).toMatchObject({ query, rewrittenQuery: "weather NYC" });
    expect(upstream.requests[1]?.body).toMatchObject({ temperature: 0 });
    expect(tavily.requests[0]?.body).toMatchObject({ query: "weather NYC" });
  });

  it("sends queries as they are with TACKLE_REWRITE=0, and short ones always", async () => {
    for (const [env, query] of [
      [{ TACKLE_REWRITE: "0" }, "Can you please tell me what the weather is like in NYC?"],
      [{}, "what is rust"],
    ] as const) {
      const tavily = await standIn("tavily");
      const upstream = await model();
      const tackle = await server({ ...modelAt(upstream.url), ...tavily.settings, ...env });
      await callTool(tackle, "browser.search", { query });
      expect(tavily.requests[0]?.body).toMatchObject({ query });
      expect(upstream.requests).toHaveLength(0);
    }
  });

  it("works with the demo model, which cites its sources", async () => {
    const tavily = await standIn("tavily");
    const { url } = await server(tavily.settings);
    const message = "Search for what is the tallest lighthouse on this planet";
    const events = await chat(url, { message });
    const { query, rewrittenQuery } = firstEvent(events, "web_search").data;
    expect(tavily.requests[0]?.body).toMatchObject({ query: rewrittenQuery ?? query });
    const text = events
      .filter((event) => event.type === "content_delta")
      .map((event) => event.choices[0].delta.content)
      .join("");
    expect(text).toContain("**Lighthouses of the world**: The tallest lighthouse stands at Jeddah");
    expect(text).toContain("[1] [Lighthouses of the world](https://lighthouses.example/list)");
  });

  it("adds the cost of searches to the run, and stops at its budget", async () => {
    const tavily = await standIn("tavily");
    const upstream = await model();
    const { url } = await server({
      ...modelAt(upstream.url),
      ...tavily.settings,
      TACKLE_SEARCH_PRICES: '{"tavily":0.5}',
      TACKLE_PRICES: '{"openai/gpt-4o":{"input":0,"output":0}}',
      TACKLE_MAX_COST_USD: "0.9",
    });
    upstream.respond(({ body }) => {
      const { messages } = body as { messages: unknown[] };
      return chatTurn({
        calls: [{ name: "browser_search", arguments: { query: `lamps ${messages.length}` } }],
      });
    });
    const events = await chat(url, { message: "Go on searching." });
    const costs = events.filter((event) => event.type === "usage").map(({ costUsd }) => costUsd);
    expect(costs.at(-1)).toBe(1);
    expect(firstEvent(events, "done")).toMatchObject({ finishReason: "length", toolCalls: 2 });
    expect(tavily.requests).toHaveLength(2);
  });

  it("continues with a failed result when the provider is down", async () => {
    const exa = await standIn("exa");
    exa.failAlways({ status: 500, message: "secret stack at /srv/exa/index.js:10" });
    const upstream = await model();
    const { url } = await server({ ...modelAt(upstream.url), ...exa.settings });
    upstream.play(
      chatTurn({ calls: [{ name: "web_search_exa", arguments: { query: "lamps" } }] }),
      chatTurn({ text: "I could not look it up." }),
    );
    const events = await chat(url, { message: "lamps?" });
    expect(firstEvent(events, "tool_result")).toMatchObject({
      success: false,
      retryCount: 3, // Exa twice more, then DuckDuckGo.
      error: { code: "UPSTREAM_ERROR", status: 502, message: expect.stringContaining("Exa has a problem") },
    });
    expect(JSON.stringify(events)).not.toMatch(/srv|stand-in-key|127\.0\.0\.1/);
    expect(exa.requests).toHaveLength(3);
  });
});

describe("search settings", () => {
  it.each([
    ["SEARXNG_BASE_URL", "searx.local"],
    ["TAVILY_BASE_URL", "ftp://tavily.example"],
    ["TACKLE_SEARCH_PRICES", '{"tavily":"cheap"}'],
  ])("are checked at start: %s=%s", async (name, value) => {
    await expect(server({ [name]: value })).rejects.toThrow(new RegExp(`ended with 2: .*${name}: `));
  });
});

describe("search tools called directly", () => {
  it("work as both browser.search and web_search", async () => {
    const tavily = await standIn("tavily");
    const tackle = await server(tavily.settings);
    for (const name of ["browser.search", "web_search"])
      expect(await callTool(tackle, name, { query: "lamps", maxResults: 1 })).toMatchObject({
        status: 200,
        body: {
          success: true,
          toolName: "browser.search",
          data: { provider: "tavily", sources: [{ url: "https://lighthouses.example/list" }] },
          retryCount: 0,
        },
      });
    const wrong = await callTool(tackle, "web_search", { query: "x", maxResults: 11 });
    expect(wrong).toMatchObject({ status: 400, body: { code: "TOOL_INVALID_ARGUMENTS" } });
    const missing = await callTool(tackle, "web_search", { query: "x", provider: "exa" });
    expect(missing).toMatchObject({ status: 400, body: { code: "TOOL_INVALID_ARGUMENTS" } });
    expect(missing.body.error).toContain("tavily, duckduckgo");
  });

  it("are offered if they are configured", async () => {
    expect(await toolNames(await server({}))).toEqual(["browser.search", "web_search_duckduckgo"]);
    const all = { EXA_API_KEY: "exa-key-12345", SEARXNG_BASE_URL: "http://127.0.0.1:9" };
    expect(await toolNames(await server(all))).toEqual([
      "browser.search",
      "web_search_duckduckgo",
      "web_search_exa",
      "web_search_searxng",
    ]);
  });

  it("hand over to the next provider with a warning, also while the breaker of the first is open", async () => {
    const searxng = await standIn("searxng");
    const duckduckgo = await standIn("duckduckgo");
    const upstream = await model();
    searxng.failAlways("wrong type");
    const tackle = await server({
      ...modelAt(upstream.url),
      ...searxng.settings,
      ...duckduckgo.settings,
    });
    const warned = (message: RegExp) => ({
      status: 200,
      body: {
        data: { provider: "duckduckgo" },
        warnings: [{ code: "SEARCH_DEGRADED", message: expect.stringMatching(message) }],
      },
    });
    for (let call = 0; call < 3; call++)
      expect(await callTool(tackle, "web_search", { query: "lamps" })).toMatchObject(
        warned(/^SearXNG sent something else than results\..* DuckDuckGo was asked instead\.$/),
      );
    for (const [tool, args] of [
      ["web_search", { query: "lamps", provider: "searxng" }],
      ["web_search_searxng", { query: "lamps" }],
    ] as const)
      expect(await callTool(tackle, tool, args)).toMatchObject(
        warned(
          /^SearXNG keeps failing, so it is paused\. Try again in \d+ seconds\. DuckDuckGo was asked instead\.$/,
        ),
      );
    expect(searxng.requests).toHaveLength(3);
    upstream.play(
      chatTurn({ calls: [{ name: "browser_search", arguments: { query: "lamps" } }] }),
      chatTurn({ text: "Here they are [1]." }),
    );
    const events = await chat(tackle.url, { message: "Find lamps" });
    expect(firstEvent(events, "warning").code).toBe("SEARCH_DEGRADED");
    expect(firstEvent(events, "tool_result").success).toBe(true);
  });

  it("say why the first provider failed if none answers, and pause only those that fail", async () => {
    const searxng = await standIn("searxng");
    searxng.failAlways({ status: 500 });
    const tackle = await server(searxng.settings);
    for (let call = 0; call < 3; call++)
      expect(await callTool(tackle, "web_search", { query: "lamps" })).toMatchObject({
        status: 502,
        body: { code: "UPSTREAM_ERROR", error: expect.stringMatching(/^SearXNG has a problem of its own/) },
      });
    const refused = await callTool(tackle, "web_search", { query: "lamps" });
    expect(refused).toMatchObject({ status: 503, body: { code: "BREAKER_OPEN" } });
    expect(refused.body.error).toBe(
      `SearXNG keeps failing, so it is paused. Try again in ${refused.retryAfter} seconds.`,
    );
    expect(await (await fetch(`${tackle.url}/metrics`)).text()).not.toContain('name="tool:browser.search"');
  });

  it("say when a busy provider accepts searches again, and do not count that as a failure", async () => {
    const tavily = await standIn("tavily");
    tavily.failAlways({ status: 429, headers: { "retry-after": "77" } });
    const tackle = await server(tavily.settings);
    for (let call = 0; call < 4; call++) {
      const answer = await callTool(tackle, "web_search", { query: `lamps ${call}` });
      expect(answer).toMatchObject({ status: 502, body: { code: "UPSTREAM_ERROR" }, retryAfter: "77" });
    }
  });

  it("share one limit for a guest, and cached answers count too", async () => {
    const searxng = await standIn("searxng");
    const duckduckgo = await standIn("duckduckgo");
    const tackle = await server({
      ...searxng.settings,
      ...duckduckgo.settings,
      TACKLE_AUTH: "guest",
      TACKLE_LIMITS: '{"search":{"guest":3,"account":1}}',
    });
    const token = (await fetch(`${tackle.url}/tools`)).headers.get("x-tackle-guest") ?? "";
    for (const name of ["web_search", "web_search_duckduckgo", "web_search"])
      expect(await callTool(tackle, name, { query: "lamps" }, token)).toMatchObject({ status: 200 });
    expect(await callTool(tackle, "web_search_searxng", { query: "lamps" }, token)).toMatchObject({
      status: 429,
      body: { code: "RATE_LIMITED", limit: 3, remaining: 0 },
    });
    expect(searxng.requests).toHaveLength(1);
  });

  it("prefer a person's stored key over the server's, and only for that person", async () => {
    const own = "own-tavily-key-5678";
    const tavily = await standIn("tavily", { keys: [STAND_IN_KEY, own] });
    const tackle = await server({ ...tavily.settings, TACKLE_AUTH: "guest" });
    const tokens: string[] = [];
    for (let guest = 0; guest < 2; guest++)
      tokens.push((await fetch(`${tackle.url}/tools`)).headers.get("x-tackle-guest") ?? "");
    const stored = await fetch(`${tackle.url}/me/settings`, {
      method: "PUT",
      headers: { "content-type": "application/json", authorization: `Bearer ${tokens[0]}` },
      body: JSON.stringify({ keys: { tavily: own } }),
    });
    expect(await stored.text()).not.toContain(own);
    for (const token of tokens) await callTool(tackle, "web_search", { query: "lamps" }, token);
    expect(tavily.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${own}`,
      `Bearer ${STAND_IN_KEY}`,
    ]);
  });

  it("stop at their timeout, and end the request to the provider", async () => {
    const tavily = await standIn("tavily");
    tavily.failAlways("silence");
    const tackle = await server({ ...tavily.settings, TACKLE_TOOL_TIMEOUT_MS: "200" });
    expect(await callTool(tackle, "web_search", { query: "lamps" })).toMatchObject({
      status: 504,
      body: { code: "TOOL_TIMEOUT" },
    });
    const request = await tavily.received(1);
    await request.ended;
    expect(request.aborted).toBe(true);
    expect(tavily.requests).toHaveLength(1);
  });

  it("fail quickly with a clear message without a network", async () => {
    // A name that cannot be resolved, like every name without a network.
    const tackle = await server({ DUCKDUCKGO_BASE_URL: "http://no-such-host.invalid" });
    const answer = await callTool(tackle, "web_search_duckduckgo", { query: "lamps" });
    expect(answer).toMatchObject({ status: 502, body: { code: "UPSTREAM_ERROR", retryable: true } });
    expect(answer.body.error).toMatch(/DuckDuckGo cannot be reached.*no network/);
  });
});
