import type { Frame, Turn } from "../turn.ts";
import type { RecordedRequest, Upstream } from "../upstream.ts";
import { startUpstream } from "./upstream.ts";

export type SearchVendor = "tavily" | "exa" | "searxng" | "duckduckgo";

/** A page that the stand-in finds. */
export interface KnownPage {
  title: string;
  url: string;
  text: string;
  score?: number;
}

/** A fault of a search. */
export type SearchFault =
  | { status: number; headers?: Record<string, string>; message?: string }
  | "reset"
  | "silence"
  | "cut"
  | "stall"
  | "garbage"
  | "wrong type"
  | "wrong shape"
  | "huge"
  | "huge by header";

export interface SearchStandIn extends Upstream {
  /** The settings that select this stand-in as the provider. */
  readonly settings: Record<string, string>;
  /** Queues a fault for each of the next searches. */
  fail(...faults: SearchFault[]): void;
  /** Makes every search fail like this from now on; undefined ends it. */
  failAlways(fault: SearchFault | undefined): void;
}

const PAGES: readonly KnownPage[] = [
  {
    title: "Lighthouses of the world",
    url: "https://lighthouses.example/list",
    text: "The tallest lighthouse stands at Jeddah and is 133 metres high.",
    score: 0.97,
  },
  {
    title: "Lighthouse – an encyclopedia",
    url: "https://encyclopedia.example/lighthouse",
    text: "A lighthouse is a tower that shows ships the way with its light.",
    score: 0.81,
  },
  {
    title: "How lamps were turned",
    url: "https://museum.example/lamps?id=7",
    text: "Clockwork turned the lamps before there were motors.",
    score: 0.44,
  },
];

/** The key that a stand-in accepts. Like the vendor, it refuses any other. */
export const STAND_IN_KEY = "stand-in-key-1234";

/** Starts a search vendor on a real socket. It answers like the vendor, or with the faults it is given. */
export async function startSearch(
  vendor: SearchVendor,
  options: { pages?: readonly KnownPage[]; keys?: readonly string[] } = {},
): Promise<SearchStandIn> {
  const { pages = PAGES, keys = [STAND_IN_KEY] } = options;
  let always: SearchFault | undefined;
  const answer = (request: RecordedRequest): Turn => {
    if (always !== undefined) return faulty(vendor, pages, always);
    if (!knows(vendor, request)) return problem(vendor, 404, "Not found");
    if (!keys.includes(keyOf(vendor, request) ?? STAND_IN_KEY))
      return problem(vendor, 401, "Invalid API key");
    return json(vendor, ANSWERS[vendor](pages, request));
  };
  const upstream = await startUpstream({ respond: answer });
  return {
    ...upstream,
    settings: settingsOf(vendor, upstream.url),
    fail: (...faults) => upstream.play(...faults.map((fault) => faulty(vendor, pages, fault))),
    failAlways: (fault) => {
      always = fault;
    },
  };
}

function settingsOf(vendor: SearchVendor, url: string): Record<string, string> {
  const name = vendor.toUpperCase();
  const key = vendor === "tavily" || vendor === "exa" ? { [`${name}_API_KEY`]: STAND_IN_KEY } : {};
  return { ...key, [`${name}_BASE_URL`]: url };
}

function knows(vendor: SearchVendor, { method, path }: RecordedRequest): boolean {
  const { pathname, searchParams } = new URL(path, "http://x");
  if (vendor === "tavily" && method === "GET") return pathname === "/usage";
  if (vendor === "tavily" || vendor === "exa") return method === "POST" && pathname === "/search";
  const asked = method === "GET" && searchParams.get("format") === "json" && searchParams.has("q");
  return asked && pathname === (vendor === "searxng" ? "/search" : "/");
}

/** Returns the key of a request, or undefined if the vendor needs none. */
function keyOf(vendor: SearchVendor, { headers }: RecordedRequest): string | undefined {
  if (vendor === "tavily") return (headers.authorization ?? "").replace(/^Bearer /, "");
  return vendor === "exa" ? String(headers["x-api-key"] ?? "") : undefined;
}

const ANSWERS: Record<SearchVendor, (pages: readonly KnownPage[], request: RecordedRequest) => unknown> = {
  tavily: (pages, { body, method }) => {
    if (method === "GET") return { key: { usage: 12, limit: 1_000 } };
    const { query, max_results: most = 5 } = body as { query: string; max_results?: number };
    const results = pages
      .slice(0, most)
      .map(({ title, url, text, score = 0.5 }) => ({ title, url, content: text, score, raw_content: null }));
    return { query, answer: null, images: [], results, response_time: 0.5, request_id: "stand-in" };
  },
  exa: (pages, { body }) => {
    const { numResults = 10 } = body as { numResults?: number };
    const results = pages.slice(0, numResults).map(({ title, url, text, score = 0.5 }) => ({
      id: url,
      title,
      url,
      score,
      text: `${text} And much more.`,
      highlights: [text],
      publishedDate: "2026-01-02T00:00:00.000Z",
    }));
    return { requestId: "stand-in", results, costDollars: { total: 0.007 } };
  },
  searxng: (pages, { path }) => ({
    query: new URL(path, "http://x").searchParams.get("q"),
    number_of_results: 0,
    results: pages.map(({ title, url, text, score = 0.5 }) => ({
      title,
      url,
      content: text,
      engine: "stand-in",
      score: score * 4,
      category: "general",
    })),
    answers: [],
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: [],
  }),
  duckduckgo: ([first, ...others]) => ({
    Heading: first?.title ?? "",
    AbstractText: first?.text ?? "",
    AbstractURL: first?.url ?? "",
    Answer: "",
    Results: [],
    RelatedTopics: [
      ...others.slice(0, 1).map(topic),
      ...(others.length > 1 ? [{ Name: "See also", Topics: others.slice(1).map(topic) }] : []),
    ],
    Type: first ? "A" : "",
  }),
};

function topic({ title, url, text }: KnownPage) {
  return { FirstURL: url, Text: `${title} - ${text}`, Result: `<a href="${url}">${title}</a>${text}` };
}

function json(
  vendor: SearchVendor,
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): Turn {
  const contentType = vendor === "duckduckgo" ? "application/x-javascript" : "application/json";
  return { status, contentType, headers, frames: [JSON.stringify(value)] };
}

/** Returns an error in the vendor's form. */
function problem(
  vendor: SearchVendor,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Turn {
  if (vendor === "tavily") return json(vendor, { detail: { error: message } }, status, headers);
  if (vendor === "exa") return json(vendor, { requestId: "stand-in", error: message }, status, headers);
  return { status, contentType: "text/html", headers, frames: [`<h1>${status}</h1><p>${message}</p>`] };
}

const HUGE_BYTES = 50_000_000;
const CHUNK = `{"filler":"${"x".repeat(65_000)}"},`;

function faulty(vendor: SearchVendor, pages: readonly KnownPage[], fault: SearchFault): Turn {
  if (typeof fault === "object")
    return problem(vendor, fault.status, fault.message ?? "Something is wrong", fault.headers);
  const request = { path: "/?q=x", body: { query: "x" } } as RecordedRequest;
  const good = json(vendor, ANSWERS[vendor](pages, request));
  const text = String(good.frames[0]);
  const half = Math.floor(text.length / 2);
  switch (fault) {
    case "reset":
    case "silence":
      return { ...good, faults: { beforeHeaders: fault } };
    case "cut":
      return { ...good, faults: { cutAfterBytes: half } };
    case "stall":
      return { ...good, frames: [text.slice(0, half), text.slice(half)], faults: { silentAfterFrames: 1 } };
    case "garbage":
      return { ...good, frames: [text.slice(0, half)], faults: { garbageAfterFrames: 1 } };
    case "wrong type":
      return {
        ...good,
        contentType: "text/html",
        frames: ["<!doctype html><p>Sign in to the hotel network"],
      };
    case "wrong shape":
      return { ...good, frames: ['{"unexpected":["<script>"]}'] };
    case "huge":
      return { ...good, frames: huge(), faults: {} };
    case "huge by header":
      return { ...good, headers: { "content-length": String(HUGE_BYTES) }, frames: huge() };
  }
}

function huge(): Frame[] {
  return ['{"results":[', ...Array<Frame>(Math.ceil(HUGE_BYTES / CHUNK.length)).fill(CHUNK)];
}
