import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textMessage } from "../../protocol/messages.ts";
import type { ModelEvent } from "../../protocol/model.ts";
import { defineProvider } from "../../protocol/provider.ts";
import { anthropicTurn } from "../../sim/testing/anthropic-turn.ts";
import { geminiTurn } from "../../sim/testing/gemini-turn.ts";
import { responsesTurn } from "../../sim/testing/responses-turn.ts";
import { startUpstream } from "../../sim/testing/upstream.ts";
import type { Turn } from "../../sim/turn.ts";
import { chatTurn, jsonTurn, type ScriptedAnswer } from "../../sim/turns.ts";
import { refusingUrl, type Upstream } from "../../sim/upstream.ts";
import { createTransport } from "../transport.ts";
import { DIALECTS } from "./dialects.ts";
import { createModel } from "./exchange.ts";
import { type Replayed, summarize } from "./testing/replay.ts";

/** One vendor of each dialect: how it writes an error and an answer, and the names of its error kinds. */
interface Vendor {
  id: string;
  error(kind: string, status: number, message: string): object;
  /** An error in a stream that began with status 200. */
  frame(kind: string, message: string): Turn["frames"][number];
  answer(answer: ScriptedAnswer): Turn;
  /** An answer that the vendor filtered. */
  filtered: Turn;
  /** An answer in which the model itself declines. */
  refused: Turn;
  kinds: {
    auth: string;
    permission: string;
    missing: string;
    busy: string;
    overloaded: string;
    request: string;
  };
  limited: { body: object; headers?: Record<string, string>; seconds: number };
  tooLong: string;
}

const OPENAI_KINDS = {
  auth: "authentication_error",
  permission: "permission_error",
  missing: "not_found_error",
  busy: "rate_limit_exceeded",
  overloaded: "server_error",
  request: "invalid_request_error",
};

const vendors: Vendor[] = [
  {
    id: "openai-chat",
    error: (type, _status, message) => ({ error: { message, type, code: null, param: null } }),
    frame: (type, message) => ({ json: { error: { message, type } } }),
    answer: chatTurn,
    filtered: chatTurn({ text: "I", finishReason: "content_filter" }),
    refused: jsonTurn({
      choices: [{ message: { content: null, refusal: "I cannot." }, finish_reason: "stop" }],
    }),
    kinds: OPENAI_KINDS,
    limited: {
      body: { error: { message: "Rate limit reached. Please try again in 2.5s.", type: "requests" } },
      seconds: 2.5,
    },
    tooLong: "This model's maximum context length is 128000 tokens. However, you requested 130000 tokens.",
  },
  {
    id: "openai-responses",
    error: (type, _status, message) => ({ error: { message, type, code: null, param: null } }),
    frame: (code, message) => ({ event: "error", json: { type: "error", code, message, param: null } }),
    answer: responsesTurn,
    filtered: responsesTurn({ text: "I", incomplete: "content_filter" }),
    refused: jsonTurn({
      id: "resp_1",
      status: "completed",
      output: [{ type: "message", content: [{ type: "refusal", refusal: "I cannot." }] }],
    }),
    kinds: OPENAI_KINDS,
    limited: {
      body: { error: { message: "Rate limit reached.", type: "tokens" } },
      headers: { "retry-after-ms": "1500", "retry-after": "2" },
      seconds: 1.5,
    },
    tooLong: "Your input exceeds the context window of this model.",
  },
  {
    id: "anthropic-messages",
    error: (type, _status, message) => ({ type: "error", error: { type, message } }),
    frame: (type, message) => ({ event: "error", json: { type: "error", error: { type, message } } }),
    answer: anthropicTurn,
    filtered: anthropicTurn({ text: "I", stopReason: "refusal" }),
    refused: anthropicTurn({ text: "I cannot.", stopReason: "refusal" }),
    kinds: { ...OPENAI_KINDS, busy: "rate_limit_error", overloaded: "overloaded_error" },
    limited: {
      body: { type: "error", error: { type: "rate_limit_error", message: "Slow down" } },
      headers: { "retry-after": "12" },
      seconds: 12,
    },
    tooLong: "prompt is too long: 208310 tokens > 200000 maximum",
  },
  {
    id: "gemini",
    error: (status, code, message) => ({ error: { code, message, status } }),
    frame: (status, message) => ({ json: { error: { message, status } } }),
    answer: geminiTurn,
    filtered: geminiTurn({ text: "I", finishReason: "SAFETY" }),
    refused: geminiTurn({ text: "I cannot.", finishReason: "PROHIBITED_CONTENT" }),
    kinds: {
      auth: "UNAUTHENTICATED",
      permission: "PERMISSION_DENIED",
      missing: "NOT_FOUND",
      busy: "RESOURCE_EXHAUSTED",
      overloaded: "UNAVAILABLE",
      request: "INVALID_ARGUMENT",
    },
    limited: {
      body: {
        error: {
          code: 429,
          message: "You exceeded your current quota.",
          status: "RESOURCE_EXHAUSTED",
          details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "17s" }],
        },
      },
      seconds: 17,
    },
    tooLong: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  },
];

let upstream: Upstream;
const transport = createTransport();
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(async () => {
  await transport.close();
  await upstream.close();
});

async function ask(vendor: Vendor, turn: Turn | undefined, baseUrl = upstream.url): Promise<Replayed> {
  if (turn) upstream.play(turn);
  const dialect = DIALECTS[vendor.id];
  if (!dialect) throw new Error(`no dialect ${vendor.id}`);
  const provider = defineProvider({
    id: "test",
    label: "Testers",
    baseUrl,
    baseUrlSetting: "TEST_BASE_URL",
    keySetting: "TEST_API_KEY",
    dialect: vendor.id,
    models: [],
    unknownModel: {},
    quirks: {},
  });
  const model = createModel({ provider, modelInfo: { name: "m" }, dialect, transport, key: "open-sesame" });
  const events: ModelEvent[] = [];
  const messages = [textMessage("u1", "user", "Hi")];
  await model.stream({ messages, tools: [] }, (event) => events.push(event), AbortSignal.timeout(20_000));
  const last = events.filter((event) => event.type === "finish" || event.type === "failure");
  expect(last).toHaveLength(1);
  expect(events.at(-1)).toBe(last[0]);
  return summarize(events);
}

const started = (vendor: Vendor) => vendor.answer({ text: "Hello there", chunkSize: 3 }).frames;
/** The beginning of an answer, up to its first visible part. */
const begun = (vendor: Vendor) => started(vendor).slice(0, -3);

describe.each(vendors)("$id", (vendor) => {
  const { kinds } = vendor;
  const status = (code: number, kind: string, message: string, headers = {}): Turn => ({
    ...jsonTurn(vendor.error(kind, code, message), code),
    headers,
  });

  test.each([
    [
      400,
      kinds.request,
      "temperature must be a number",
      "UPSTREAM_ERROR",
      false,
      "did not accept the request",
    ],
    [400, kinds.request, vendor.tooLong, "CONTEXT_TOO_LARGE", false, "start a new session"],
    [400, kinds.request, "Blocked by our content policy", "UPSTREAM_ERROR", false, "Rephrasing"],
    [401, kinds.auth, "Wrong key", "UPSTREAM_ERROR", false, "Check TEST_API_KEY"],
    [403, kinds.permission, "Not for you", "UPSTREAM_ERROR", false, "choose another model"],
    [404, kinds.missing, "No such model", "UPSTREAM_ERROR", false, "does not know the model m"],
    [408, "timeout", "Too slow", "UPSTREAM_TIMEOUT", true, "took too long"],
    [409, "conflict", "Busy with another", "UPSTREAM_ERROR", true, "conflict"],
    [413, "request_size", "Body over 32 MB", "TOO_LARGE", false, "Leave out images"],
    [429, kinds.busy, "Slow down", "UPSTREAM_ERROR", true, "limiting requests"],
    [429, "insufficient_quota", "No credit", "UPSTREAM_ERROR", false, "no quota left"],
    [500, kinds.overloaded, "Oops", "UPSTREAM_ERROR", true, "an internal error"],
    [503, kinds.overloaded, "Overloaded", "UPSTREAM_ERROR", true, "an internal error"],
    [529, kinds.overloaded, "Overloaded", "UPSTREAM_ERROR", true, "an internal error"],
  ])("%i %s: %s", async (code, kind, message, failureCode, retryable, sentence) => {
    const { failure } = await ask(vendor, status(code, kind, message));
    expect(failure).toMatchObject({ code: failureCode, retryable });
    expect(failure?.publicMessage).toContain(sentence);
  });

  test("a rate limit gives the retry delay in the vendor's own form", async () => {
    const { body, headers, seconds } = vendor.limited;
    const { failure } = await ask(vendor, { ...jsonTurn(body, 429), headers });
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true, retryAfter: seconds });
  });

  test.each([
    [kinds.overloaded, "Overloaded", "UPSTREAM_ERROR", true, "an internal error"],
    [kinds.busy, "Slow down", "UPSTREAM_ERROR", true, "limiting requests"],
    [kinds.permission, "Not for you", "UPSTREAM_ERROR", false, "choose another model"],
    [kinds.auth, "Wrong key", "UPSTREAM_ERROR", false, "Check TEST_API_KEY"],
    [kinds.request, "A bad field", "UPSTREAM_ERROR", false, "did not accept the request"],
    [kinds.request, vendor.tooLong, "CONTEXT_TOO_LARGE", false, "start a new session"],
  ])(
    "an error with HTTP 200, %s (%s), is recognized first, mid-stream and as JSON",
    async (kind, message, code, retryable, sentence) => {
      const error = vendor.error(kind, 200, message);
      const frame = vendor.frame(kind, message);
      for (const turn of [{ frames: [frame] }, { frames: [...begun(vendor), frame] }, jsonTurn(error)]) {
        const { failure } = await ask(vendor, turn);
        expect(failure).toMatchObject({ code, retryable });
        expect(failure?.publicMessage).toContain(sentence);
      }
    },
  );

  test("answers that the vendor withholds and answers that the model declines end as filtered", async () => {
    expect((await ask(vendor, vendor.filtered)).finish?.reason).toBe("content_filter");
    const refused = await ask(vendor, vendor.refused);
    expect(refused.text).toBe("I cannot.");
    expect(refused.finish?.reason).toBe("content_filter");
  });

  test("an empty answer after thinking is retryable, although thoughts were shown", async () => {
    for (const whole of [false, true]) {
      const { failure, reasoning } = await ask(vendor, vendor.answer({ reasoning: "Hm.", whole }));
      expect(reasoning).toBe("Hm.");
      expect(failure).toMatchObject({
        code: "UPSTREAM_ERROR",
        retryable: true,
        details: { emptyAnswer: true },
      });
    }
  });

  test("a truncated or garbled stream never ends cleanly", async () => {
    const frames = started(vendor);
    const turns: Turn[] = [
      { frames: begun(vendor) },
      { frames, faults: { cutAfterFrames: frames.length - 3 } },
      { frames: [], contentType: "text/event-stream" },
      { frames: [...begun(vendor), 'data: {"broken":\n\n'] },
    ];
    for (const turn of turns) {
      const { failure } = await ask(vendor, turn);
      expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
      expect(failure?.publicMessage).toMatch(/broke off|could not be read/);
    }
  });

  test("a connection that fails, or ends before an answer, is retryable", async () => {
    const cases: [Promise<Replayed>, RegExp][] = [
      [ask(vendor, undefined, await refusingUrl()), /cannot be reached/],
      [ask(vendor, { frames: [], faults: { beforeHeaders: "reset" } }), /before it answered/],
      [ask(vendor, undefined, "http://no-such-host.invalid"), /address of Testers cannot be found/],
      [ask(vendor, undefined, upstream.url.replace("http:", "https:")), /secure connection/],
    ];
    for (const [asked, sentence] of cases) {
      const { failure } = await asked;
      expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
      expect(failure?.publicMessage).toMatch(sentence);
    }
  });
});
