import { afterEach, describe, expect, test } from "vitest";
import { upstreamFailed } from "../../guard/breaker.ts";
import { Failure } from "../../protocol/failure.ts";
import type { ToolContext, ToolEvent, ToolOutput, ToolProgress } from "../../protocol/tool.ts";
import {
  type KnownPage,
  type SearchFault,
  type SearchStandIn,
  type SearchVendor,
  STAND_IN_KEY,
  startSearch,
} from "../../sim/testing/search.ts";
import type { Turn } from "../../sim/turn.ts";
import { refusingUrl } from "../../sim/upstream.ts";
import { toolContext } from "../builtin/testing/context.ts";
import { PATIENCE, type Patience } from "./exchange.ts";
import { searchWeb } from "./search.ts";

const VENDORS: SearchVendor[] = ["tavily", "exa", "searxng", "duckduckgo"];
const QUICK: Patience = { ...PATIENCE, firstPauseMs: 1, attemptMs: 5_000, random: () => 0 };
/** For faults that never end: short timeouts and no retry delay. */
const HURRIED: Patience = { ...QUICK, attemptMs: 150 };

const started: SearchStandIn[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.close()));
});

async function standIn(vendor: SearchVendor, pages?: KnownPage[]): Promise<SearchStandIn> {
  const search = await startSearch(vendor, pages ? { pages } : {});
  started.push(search);
  return search;
}

/** A context with these settings, including keys. DuckDuckGo, which needs no setting, cannot be reached. */
function contextWith(own: Record<string, string>, overrides: Partial<ToolContext> = {}) {
  const settings: Record<string, string> = { DUCKDUCKGO_BASE_URL: "http://127.0.0.1:9", ...own };
  const shown: ToolEvent[] = [];
  const progress: ToolProgress[] = [];
  const context = toolContext({
    setting: (name) => settings[name],
    secret: async (name) => settings[name],
    show: (event) => shown.push(event),
    progress: (one) => progress.push(one),
    ...overrides,
  });
  return { context, shown, progress };
}

async function failureOf(search: Promise<ToolOutput>): Promise<Failure> {
  const thrown = await search.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Failure)) throw new Error(`no failure but ${String(thrown)}`);
  return thrown;
}

/** DuckDuckGo needs no key, so it is asked once in the place of a provider that failed. */
function askedInstead(vendor: SearchVendor, { code }: Failure): number {
  return vendor === "duckduckgo" || code === "TOOL_INVALID_ARGUMENTS" ? 0 : 1;
}

describe.each(VENDORS)("%s", (vendor) => {
  test("finds pages, shows them to the person, and gives the model numbers to cite", async () => {
    const upstream = await standIn(vendor);
    const { context, shown } = contextWith(upstream.settings);
    const answer = await searchWeb({ query: "tallest lighthouse", maxResults: 2 }, vendor, context, QUICK);
    expect(answer.output).toMatch(
      /^WEB SEARCH RESULTS\nQuery: tallest lighthouse\n\nSource 1: .+\nURL: https:\/\/lighthouses\.example\/list\nThe tallest lighthouse stands.*\n\nSource 2: .+\nURL: https:\/\/encyclopedia\.example\/lighthouse\n.+\n\nCite .* \[1\]\.$/,
    );
    expect(shown).toEqual([
      {
        type: "web_search",
        toolCallId: "call_1",
        data: {
          query: "tallest lighthouse",
          provider: vendor,
          sources: [
            expect.objectContaining({ url: "https://lighthouses.example/list" }),
            expect.objectContaining({ url: "https://encyclopedia.example/lighthouse" }),
          ],
          searchTimeMs: expect.any(Number),
        },
      },
    ]);
    expect(answer.data).toEqual(shown[0]?.type === "web_search" && shown[0].data);
    expect(answer.retryCount).toBe(0);
    expect(upstream.requests).toHaveLength(1);
  });

  test("reports that nothing was found, without failing", async () => {
    const upstream = await standIn(vendor, []);
    const { context, shown } = contextWith(upstream.settings);
    const answer = await searchWeb({ query: "zzz", maxResults: 5 }, vendor, context, QUICK);
    expect(answer.output).toMatch(/^WEB SEARCH RESULTS\nQuery: zzz\n\nNo results were found\. \S/);
    expect(shown).toMatchObject([{ data: { sources: [] } }]);
  });

  // The contract's error for each fault, and how often the provider is asked.
  test.each<[SearchFault, { code: string; retryable: boolean; asked: number; counted: boolean }]>([
    [{ status: 500 }, { code: "UPSTREAM_ERROR", retryable: true, asked: 3, counted: true }],
    [{ status: 503 }, { code: "UPSTREAM_ERROR", retryable: true, asked: 3, counted: true }],
    [{ status: 408 }, { code: "UPSTREAM_TIMEOUT", retryable: true, asked: 3, counted: true }],
    [{ status: 504 }, { code: "UPSTREAM_TIMEOUT", retryable: true, asked: 3, counted: true }],
    [{ status: 429 }, { code: "UPSTREAM_ERROR", retryable: true, asked: 3, counted: false }],
    [{ status: 400 }, { code: "TOOL_INVALID_ARGUMENTS", retryable: false, asked: 1, counted: false }],
    [{ status: 422 }, { code: "TOOL_INVALID_ARGUMENTS", retryable: false, asked: 1, counted: false }],
    [{ status: 401 }, { code: "UPSTREAM_ERROR", retryable: false, asked: 1, counted: false }],
    [{ status: 404 }, { code: "UPSTREAM_ERROR", retryable: false, asked: 1, counted: false }],
    [
      { status: 302, headers: { location: "http://169.254.169.254/latest" } },
      { code: "UPSTREAM_ERROR", retryable: false, asked: 1, counted: false },
    ],
    ["reset", { code: "UPSTREAM_ERROR", retryable: true, asked: 3, counted: true }],
    ["cut", { code: "UPSTREAM_ERROR", retryable: true, asked: 3, counted: true }],
    ["garbage", { code: "UPSTREAM_ERROR", retryable: true, asked: 1, counted: true }],
    ["wrong type", { code: "UPSTREAM_ERROR", retryable: true, asked: 1, counted: true }],
    ["wrong shape", { code: "UPSTREAM_ERROR", retryable: true, asked: 1, counted: true }],
    ["huge", { code: "UPSTREAM_ERROR", retryable: true, asked: 1, counted: true }],
    ["huge by header", { code: "UPSTREAM_ERROR", retryable: true, asked: 1, counted: true }],
    ["silence", { code: "UPSTREAM_TIMEOUT", retryable: true, asked: 3, counted: true }],
    ["stall", { code: "UPSTREAM_TIMEOUT", retryable: true, asked: 3, counted: true }],
  ])("turns %j into the contract's error and leaves nothing behind", async (fault, expected) => {
    const upstream = await standIn(vendor);
    upstream.failAlways(fault);
    const { context, shown } = contextWith(upstream.settings);
    const patience = fault === "silence" || fault === "stall" ? HURRIED : QUICK;
    const failure = await failureOf(searchWeb({ query: "lamps", maxResults: 5 }, vendor, context, patience));
    expect(failure).toMatchObject({ code: expected.code, retryable: expected.retryable });
    expect(upstream.requests).toHaveLength(expected.asked);
    expect(failure.details?.retryCount).toBe(expected.asked - 1 + askedInstead(vendor, failure));
    expect(failure.publicMessage).toMatch(/^(Tavily|Exa|SearXNG|DuckDuckGo|The connection to) /);
    // The guard decides by this whether a failure opens a breaker.
    expect(upstreamFailed(failure)).toBe(expected.counted);
    const told = JSON.stringify([failure.publicMessage, failure.details]);
    expect(told).not.toMatch(/127\.0\.0\.1|169\.254|http|stand-in-key|<|\.ts:\d/);
    expect(shown).toEqual([]);
    await Promise.all(upstream.requests.map(({ ended }) => ended));
  });

  test("is retried after a fault, and the result says how often", async () => {
    const upstream = await standIn(vendor);
    upstream.fail({ status: 503 }, "cut");
    const { context, progress } = contextWith(upstream.settings);
    const answer = await searchWeb({ query: "lamps", maxResults: 5 }, vendor, context, QUICK);
    expect(answer).toMatchObject({ retryCount: 2 });
    expect(upstream.requests).toHaveLength(3);
    expect(progress.map(({ message }) => message)).toEqual([
      expect.stringContaining("(1 of 2)"),
      expect.stringContaining("(2 of 2)"),
    ]);
  });

  test("stops at once when the call is stopped, even in the middle of an answer", async () => {
    const upstream = await standIn(vendor);
    upstream.failAlways("stall");
    const stop = new AbortController();
    const { context } = contextWith(upstream.settings, { signal: stop.signal });
    const search = searchWeb({ query: "lamps", maxResults: 5 }, vendor, context, QUICK);
    const request = await upstream.received(1);
    stop.abort(new Error("stopped"));
    await expect(search).rejects.toThrow("stopped");
    await request.ended;
    expect(request.aborted).toBe(true);
    expect(upstream.requests).toHaveLength(1);
  });

  test("that cannot be reached is reported without addresses", async () => {
    const name = vendor.toUpperCase();
    const settings = { [`${name}_BASE_URL`]: await refusingUrl(), [`${name}_API_KEY`]: STAND_IN_KEY };
    const { context } = contextWith(settings);
    const failure = await failureOf(searchWeb({ query: "x", maxResults: 5 }, vendor, context, QUICK));
    const details = { retryCount: 2 + askedInstead(vendor, failure) };
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true, details });
    expect(failure.publicMessage).not.toContain("127.0.0.1");
  });
});

describe("a busy provider", () => {
  test("is retried after the delay that it asks for, if there is time", async () => {
    const upstream = await standIn("tavily");
    upstream.fail({ status: 429, headers: { "retry-after": "0.05" } });
    const { context } = contextWith(upstream.settings);
    expect(await searchWeb({ query: "x", maxResults: 5 }, "tavily", context, QUICK)).toMatchObject({
      retryCount: 1,
    });
  });

  test("that asks for a longer wait is not retried, and the caller learns when to try again", async () => {
    const upstream = await standIn("tavily");
    upstream.failAlways({ status: 429, headers: { "retry-after": "120" }, message: "Too many requests" });
    const { context } = contextWith(upstream.settings);
    const failure = await failureOf(searchWeb({ query: "x", maxResults: 5 }, "tavily", context, QUICK));
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryAfter: 120 });
    expect(failure.publicMessage).toContain("Too many requests.");
    expect(upstream.requests).toHaveLength(1);
  });

  test.each<[SearchVendor, number]>([
    ["tavily", 432],
    ["tavily", 433],
    ["exa", 402],
  ])("%s with an exhausted quota (%i) is not retried", async (vendor, status) => {
    const upstream = await standIn(vendor);
    upstream.failAlways({ status, message: "Out of credits" });
    const { context } = contextWith(upstream.settings);
    const failure = await failureOf(searchWeb({ query: "x", maxResults: 5 }, vendor, context, QUICK));
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
    expect(failure.publicMessage).toMatch(/quota.*used up/);
    expect(upstream.requests).toHaveLength(1);
  });

  test("is given up when the time is over, however many attempts are left", async () => {
    const upstream = await standIn("exa");
    upstream.failAlways({ status: 500 });
    const { context } = contextWith(upstream.settings);
    const patience = { ...QUICK, firstPauseMs: 1_000, totalMs: 400 };
    await failureOf(searchWeb({ query: "x", maxResults: 5 }, "exa", context, patience));
    expect(upstream.requests).toHaveLength(1);
  });
});

describe("quirks of providers", () => {
  const respondWith = async (vendor: SearchVendor, turn: Turn) => {
    const upstream = await standIn(vendor);
    upstream.respond(() => turn);
    return contextWith(upstream.settings).context;
  };

  test("DuckDuckGo's 202 is an answer if it has results, and a refusal otherwise", async () => {
    const json = JSON.stringify({
      Heading: "Owl",
      AbstractText: "A bird.",
      AbstractURL: "https://owls.example",
    });
    const contentType = "application/x-javascript";
    const good = await respondWith("duckduckgo", { status: 202, contentType, frames: [json] });
    const answer = await searchWeb({ query: "owl", maxResults: 5 }, "duckduckgo", good, QUICK);
    expect(answer.output).toContain("Source 1: Owl\nURL: https://owls.example/\nA bird.");
    const empty = await respondWith("duckduckgo", { status: 202, contentType, frames: [] });
    const failure = await failureOf(
      searchWeb({ query: "owl", maxResults: 5 }, "duckduckgo", empty, { ...QUICK, retries: 0 }),
    );
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryAfter: 60 });
  });

  test("SearXNG with silent engines names them", async () => {
    const frames = [
      '{"results":[],"unresponsive_engines":[["google","CAPTCHA"],["bing","timeout"],["<b>"]]}',
    ];
    const context = await respondWith("searxng", { contentType: "application/json", frames });
    const { output } = await searchWeb({ query: "owl", maxResults: 5 }, "searxng", context, QUICK);
    expect(output).toMatch(/No results were found\. .* did not answer: google, bing\.$/);
  });

  test("Exa without highlights returns the text of its pages", async () => {
    const frames = [
      '{"results":[{"title":null,"url":"https://owls.example/a","text":"Owls fly."},{"url":7},9]}',
    ];
    const context = await respondWith("exa", { contentType: "application/json", frames });
    const { output, costUsd } = await searchWeb({ query: "owl", maxResults: 5 }, "exa", context, QUICK);
    expect(output).toContain("Source 1: owls.example\nURL: https://owls.example/a\nOwls fly.\n\nCite");
    expect(costUsd).toBe(0.005);
  });
});

describe("errors name what must be fixed", () => {
  test.each<[SearchVendor, number, RegExp]>([
    ["tavily", 401, /refused the key.*TAVILY_API_KEY/],
    ["tavily", 403, /refused the key.*TAVILY_API_KEY/],
    ["exa", 401, /refused the key.*EXA_API_KEY/],
    ["searxng", 403, /SEARXNG_BASE_URL.*"json"/],
    ["duckduckgo", 404, /DUCKDUCKGO_BASE_URL/],
  ])("%s with status %i", async (vendor, status, sentence) => {
    const upstream = await standIn(vendor);
    upstream.failAlways({ status });
    const { context } = contextWith(upstream.settings);
    const failure = await failureOf(searchWeb({ query: "x", maxResults: 5 }, vendor, context, QUICK));
    expect(failure.publicMessage).toMatch(sentence);
  });

  test("the model reads why a provider refused its search", async () => {
    const upstream = await standIn("tavily");
    upstream.failAlways({ status: 400, message: "Query is too short. Min query length is 2 characters." });
    const { context } = contextWith(upstream.settings);
    const failure = await failureOf(searchWeb({ query: "x", maxResults: 5 }, "tavily", context, QUICK));
    expect(failure).toMatchObject({ code: "TOOL_INVALID_ARGUMENTS", untrusted: true });
    expect(failure.publicMessage).toContain("Query is too short. Min query length is 2 characters.");
  });

  test("an invalid base URL", async () => {
    const { context } = contextWith({ SEARXNG_BASE_URL: "ftp://searx" });
    const failure = await failureOf(searchWeb({ query: "x", maxResults: 5 }, "searxng", context, QUICK));
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
    expect(failure.publicMessage).toContain("SEARXNG_BASE_URL");
  });
});

describe("the search provider", () => {
  test("is the first that is configured, in the order Tavily, Exa, SearXNG, DuckDuckGo", async () => {
    const all = await Promise.all(VENDORS.map((vendor) => standIn(vendor)));
    for (const [index, vendor] of VENDORS.entries()) {
      const settings = Object.assign({}, ...all.slice(index).map((one) => one.settings));
      const { context } = contextWith(settings);
      const { data } = await searchWeb({ query: "lamps", maxResults: 5 }, undefined, context, QUICK);
      expect(data).toMatchObject({ provider: vendor });
    }
  });

  test("can be named, and the error for one that is not configured lists those that are", async () => {
    const upstream = await standIn("searxng");
    const { context } = contextWith(upstream.settings);
    const failure = await failureOf(searchWeb({ query: "x", maxResults: 5 }, "exa", context, QUICK));
    expect(failure.code).toBe("TOOL_INVALID_ARGUMENTS");
    expect(failure.publicMessage).toContain('"exa" is not set up here');
    expect(failure.publicMessage).toContain("searxng, duckduckgo");
  });

  test.each<[SearchVendor | undefined, SearchFault, RegExp]>([
    [undefined, { status: 500 }, /^Tavily had an internal error.* Exa was asked instead\.$/],
    ["tavily", { status: 401 }, /^Tavily refused the key.* Exa was asked instead\.$/],
    [
      undefined,
      { status: 429, message: "Slow down <b>" },
      /^Tavily did not answer as it should\. Exa was asked instead\.$/,
    ],
  ])("that fails hands over to the next one, with a warning (%s, %j)", async (wanted, fault, warning) => {
    const [tavily, exa] = [await standIn("tavily"), await standIn("exa")];
    tavily.failAlways(fault);
    const { context, shown } = contextWith({ ...tavily.settings, ...exa.settings });
    const answer = await searchWeb({ query: "lamps", maxResults: 5 }, wanted, context, QUICK);
    expect(answer.data).toMatchObject({ provider: "exa" });
    expect(answer.retryCount).toBe(tavily.requests.length);
    expect(shown).toEqual([
      { type: "warning", code: "SEARCH_DEGRADED", message: expect.stringMatching(warning) },
      expect.objectContaining({ type: "web_search" }),
    ]);
    expect(answer.output).toMatch(/Exa was asked instead\.$/);
  });

  test("whose breaker is open is passed over, and the cause is that of the one that was asked", async () => {
    const [tavily, exa] = [await standIn("tavily"), await standIn("exa")];
    const open = new Failure("BREAKER_OPEN", "Tavily keeps failing, so it is paused.", { retryAfter: 9 });
    const behindBreaker: ToolContext["behindBreaker"] = async (service, work) => {
      if (service === "Tavily") throw open;
      return work();
    };
    const { context, shown } = contextWith({ ...tavily.settings, ...exa.settings }, { behindBreaker });
    const search = () => searchWeb({ query: "lamps", maxResults: 5 }, undefined, context, QUICK);
    expect((await search()).data).toMatchObject({ provider: "exa" });
    expect(shown[0]).toMatchObject({
      message: "Tavily keeps failing, so it is paused. Exa was asked instead.",
    });
    exa.failAlways({ status: 500 });
    expect((await failureOf(search())).publicMessage).toMatch(/^Exa had an internal error/);
    expect(tavily.requests).toHaveLength(0);
  });

  test("is reached at a private address only if the operator set that address", async () => {
    const upstream = await standIn("tavily");
    const { context } = contextWith({ TAVILY_API_KEY: STAND_IN_KEY, TAVILY_BASE_URL: upstream.url });
    await searchWeb({ query: "lamps", maxResults: 5 }, "tavily", context, QUICK);
    expect(upstream.requests[0]?.headers.authorization).toBe(`Bearer ${STAND_IN_KEY}`);
    expect(upstream.requests[0]?.body).toEqual({ query: "lamps", max_results: 5, search_depth: "basic" });
  });
});

describe("the cost of a search", () => {
  test.each<[string, SearchVendor, Record<string, string>, number]>([
    ["our price list", "tavily", {}, 0.008],
    ["the operator's price list", "tavily", { TACKLE_SEARCH_PRICES: '{"tavily":0.005}' }, 0.005],
    ["our price list if the operator's is invalid", "tavily", { TACKLE_SEARCH_PRICES: "{" }, 0.008],
    ["the response itself", "exa", { TACKLE_SEARCH_PRICES: '{"exa":1}' }, 0.007],
    ["nothing", "duckduckgo", {}, 0],
  ])("is taken from %s", async (_, vendor, settings, costUsd) => {
    const upstream = await standIn(vendor);
    const { context } = contextWith({ ...upstream.settings, ...settings });
    const answer = await searchWeb({ query: "lamps", maxResults: 5 }, vendor, context, QUICK);
    expect(answer.costUsd).toBe(costUsd);
  });
});

describe("a rewritten query", () => {
  const answering = (text: string): Pick<ToolContext, "askModel"> => ({
    askModel: async () => ({
      text,
      parts: [],
      usage: { inputTokens: 90, outputTokens: 5 },
      model: "zai/glm-4.5-air",
      retryCount: 0,
      cut: false,
    }),
  });
  const query = "Can you please tell me what the weather is like in NYC?";

  test("is searched for, and shown beside the original", async () => {
    const upstream = await standIn("tavily");
    const { context, shown } = contextWith(upstream.settings, answering('Query: "weather NYC"'));
    const answer = await searchWeb({ query, maxResults: 5 }, undefined, context, QUICK);
    expect(upstream.requests[0]?.body).toMatchObject({ query: "weather NYC" });
    expect(shown).toMatchObject([{ data: { query, rewrittenQuery: "weather NYC" } }]);
    expect(answer.output).toContain("Query: weather NYC");
  });

  test("is not used for a provider that understands sentences", async () => {
    const upstream = await standIn("exa");
    const { context, shown } = contextWith(upstream.settings, answering("weather NYC"));
    await searchWeb({ query, maxResults: 5 }, undefined, context, QUICK);
    expect(upstream.requests[0]?.body).toMatchObject({ query });
    expect(shown[0]?.type === "web_search" && "rewrittenQuery" in shown[0].data).toBe(false);
  });
});
