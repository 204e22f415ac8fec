import { Failure, toFailure } from "../../protocol/failure.ts";
import type {
  Dialect,
  DialectContext,
  EmitModelEvent,
  Model,
  ModelInfo,
  ModelRequest,
  Provider,
  WireRequest,
} from "../../protocol/model.ts";
import { type Answer, openAnswer } from "./answer.ts";
import { type BodyKind, encodeBody, readBounded, recognize } from "./body.ts";
import {
  completeDeadlines,
  type Deadlines,
  type DeadlineWatch,
  type MissedDeadline,
  watchDeadlines,
} from "./deadlines.ts";
import { cutOff, unreadable, vendorOf } from "./failures.ts";
import { createSseReader } from "./sse.ts";
import { endingAt } from "./stop-texts.ts";
import { type PacketIterator, type Transport, TransportError, type TransportResponse } from "./transport.ts";

export interface ModelOptions {
  provider: Provider;
  modelInfo: ModelInfo;
  dialect: Dialect;
  /** Where to reach the vendor, when not at its own address. */
  baseUrl?: string;
  key?: string;
  transport: Transport;
  deadlines?: Partial<Deadlines>;
}

const ERROR_BODY_LIMIT = 64 * 1024;
const JSON_BODY_LIMIT = 64 * 1024 * 1024;
const REST_LIMIT_MS = 1000;
const REST_LIMIT_CHUNKS = 32;
const ANSWER_HEADERS = {
  accept: "text/event-stream, application/json",
  "user-agent": "tackle",
};

/** Joins a vendor, a dialect and a transport to a model that can be asked. */
export function createModel(options: ModelOptions): Model {
  const { provider, modelInfo, dialect } = options;
  const context: DialectContext = {
    model: modelInfo,
    modelId: `${provider.id}/${modelInfo.name}`,
    quirks: { ...provider.quirks, ...modelInfo.quirks },
    label: provider.label,
    keySetting: provider.keySetting,
  };
  return {
    id: context.modelId,
    info: modelInfo,
    stream: (request, emit, signal) => {
      const { stop = [] } = request;
      const told = stop.length > 0 && dialect.takesStops === false ? endingAt(stop, emit) : emit;
      return stream(options, dialect, context, request, told, signal);
    },
  };
}

/** Answers after exactly one last event, also when the transport hangs. */
async function stream(
  options: ModelOptions,
  dialect: Dialect,
  context: DialectContext,
  request: ModelRequest,
  emit: EmitModelEvent,
  signal: AbortSignal,
): Promise<void> {
  const upstream = new AbortController();
  const stopped = Promise.withResolvers<void>();
  let answer: Answer;
  try {
    answer = openAnswer(dialect, context, request, emit);
  } catch (thrown) {
    emit({
      type: "failure",
      failure: new Failure("INTERNAL", "The answer could not be read.", { cause: thrown }),
    });
    return;
  }

  function stop(failure: Failure): void {
    answer.fail(failure);
    upstream.abort();
    stopped.resolve();
  }
  function cancel(): void {
    stop(new Failure("CANCELLED", "It was stopped before it finished.", { retryable: false }));
  }

  if (signal.aborted) {
    cancel();
    return;
  }
  signal.addEventListener("abort", cancel, { once: true });
  const deadlines = completeDeadlines(options.deadlines);
  const watch = watchDeadlines(deadlines, (missed) => stop(tooSlow(missed, deadlines, context)));
  const asked = ask(options, context, request, answer, watch, upstream.signal).catch((thrown: unknown) =>
    stop(networkFailure(thrown, context)),
  );
  await Promise.race([asked, stopped.promise]);
  watch.stop();
  signal.removeEventListener("abort", cancel);
}

async function ask(
  options: ModelOptions,
  context: DialectContext,
  request: ModelRequest,
  answer: Answer,
  watch: DeadlineWatch,
  signal: AbortSignal,
): Promise<void> {
  const { dialect, key } = options;
  let wireRequest: WireRequest | undefined = dialect.encode(request, context);
  for (let attempt = 0; wireRequest; attempt++) {
    const { contentType, body: sent } = await encodeBody(wireRequest);
    const response = await options.transport.send({
      method: "POST",
      url: providerUrl(options.provider, options.baseUrl, wireRequest.path),
      headers: {
        ...providerHeaders(options.provider, key),
        ...ANSWER_HEADERS,
        "content-type": contentType,
        ...(request.traceparent ? { traceparent: request.traceparent } : {}),
        ...wireRequest.headers,
      },
      body: sent,
      signal,
    });
    watch.alive();
    if (response.status >= 200 && response.status < 300) {
      await read(response, answer, context, watch);
      return;
    }
    const { text } = await readBounded(response.body, ERROR_BODY_LIMIT, watch.alive);
    response.discard();
    const body = key ? text.replaceAll(key, "[key]") : text;
    const failure = refusal(dialect, response, body, context);
    wireRequest = attempt === 0 ? dialect.fallback?.(failure, response, body, request, context) : undefined;
    if (!wireRequest) answer.fail(failure);
    else watch.restart();
  }
}

function refusal(
  dialect: Dialect,
  response: TransportResponse,
  body: string,
  context: DialectContext,
): Failure {
  if (response.status >= 400) return dialect.failure(response, body, context);
  // A redirect is not followed: it could take the key elsewhere.
  return new Failure(
    "UPSTREAM_ERROR",
    `${vendorOf(context)} answered from another address. Check its base URL.`,
    {
      retryable: false,
    },
  );
}

/** Reads an answer that began well: events, or JSON although events were asked for. */
async function read(
  response: TransportResponse,
  answer: Answer,
  context: DialectContext,
  watch: DeadlineWatch,
): Promise<void> {
  const chunks = response.body[Symbol.asyncIterator]();
  const first = await firstChunk(chunks, watch);
  if (first?.kind === "json") await readJson(first.chunk, chunks, answer, context, watch);
  else if (first?.kind === "html") answer.fail(notTheApi(context));
  else if (first) await readEvents(first.chunk, chunks, answer, watch);
  answer.end();
  void finishReading(chunks, response);
}

async function firstChunk(
  chunks: AsyncIterator<Uint8Array>,
  watch: DeadlineWatch,
): Promise<{ chunk: Uint8Array; kind: BodyKind } | undefined> {
  for (;;) {
    const next = await nextChunk(chunks);
    watch.alive();
    if (next === undefined) return undefined;
    const found = recognize(next);
    if (found) return { chunk: next.subarray(found.at), kind: found.kind };
  }
}

async function readEvents(
  first: Uint8Array,
  chunks: PacketIterator,
  answer: Answer,
  watch: DeadlineWatch,
): Promise<void> {
  const sse = createSseReader({ onFrame: answer.frame });
  const take = (chunk: Uint8Array) => {
    watch.alive();
    sse.push(chunk);
    return !answer.over;
  };
  if (take(first)) await eachChunk(chunks, take);
  if (!answer.over) sse.end();
}

async function eachChunk(chunks: PacketIterator, take: (chunk: Uint8Array) => boolean): Promise<void> {
  if (chunks.forEach) {
    await chunks.forEach(take).catch((thrown: unknown) => {
      throw thrown instanceof Failure ? thrown : new TransportError("closed", thrown);
    });
    return;
  }
  for (let chunk = await nextChunk(chunks); chunk; chunk = await nextChunk(chunks)) if (!take(chunk)) return;
}

async function readJson(
  first: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
  answer: Answer,
  context: DialectContext,
  watch: DeadlineWatch,
): Promise<void> {
  async function* all(): AsyncIterable<Uint8Array> {
    yield first;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  const { text, complete } = await readBounded(all(), JSON_BODY_LIMIT, watch.alive);
  try {
    answer.whole(JSON.parse(text));
  } catch (thrown) {
    answer.fail(complete ? unreadable(context, thrown) : cutOff(context, thrown));
  }
}

async function nextChunk(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    const next = await chunks.next();
    return next.done ? undefined : next.value;
  } catch (thrown) {
    throw new TransportError("closed", thrown);
  }
}

/** Reads on to the end of a stream whose answer is over, so that the connection serves again; gives up on a long rest. */
async function finishReading(chunks: AsyncIterator<Uint8Array>, response: TransportResponse): Promise<void> {
  const timer = setTimeout(response.discard, REST_LIMIT_MS);
  try {
    for (let count = 0; count < REST_LIMIT_CHUNKS; count++) {
      if ((await nextChunk(chunks)) === undefined) break;
    }
  } catch {
    // The answer is over: what becomes of the connection behind it is no failure.
  }
  clearTimeout(timer);
  response.discard();
}

// Where and who

/** The address of a vendor's path; its prefix is not doubled where the base already ends in it. */
export function providerUrl(provider: Provider, baseUrl: string | undefined, path: string): string {
  const base = (baseUrl || provider.baseUrl).replace(/\/+$/, "");
  const prefix = provider.pathPrefix ?? "";
  return base.endsWith(prefix) ? base + path : base + prefix + path;
}

/** The headers that say who is asking. */
export function providerHeaders(provider: Provider, key: string | undefined): Record<string, string> {
  if (!key) return {};
  return provider.headers?.(key) ?? { authorization: `Bearer ${key}` };
}

// What went wrong

function tooSlow(missed: MissedDeadline, deadlines: Deadlines, context: DialectContext): Failure {
  const who = vendorOf(context);
  const seconds = (ms: number) => `${ms / 1000} s`;
  const sentences = {
    first_byte: `${who} did not begin to answer within ${seconds(deadlines.firstByteMs)}. Trying again may help.`,
    idle: `${who} fell silent for ${seconds(deadlines.idleMs)} in the middle of its answer. Trying again may help.`,
    total: `The answer of ${who} took longer than ${seconds(deadlines.totalMs)}. A shorter question may help.`,
  };
  return new Failure("UPSTREAM_TIMEOUT", sentences[missed], {
    retryable: missed !== "total",
    details: { deadline: missed },
  });
}

function networkFailure(thrown: unknown, context: DialectContext): Failure {
  if (!(thrown instanceof TransportError)) return toFailure(thrown);
  const who = vendorOf(context);
  const passing = (message: string) =>
    new Failure("UPSTREAM_ERROR", message, { cause: thrown, retryable: true });
  switch (thrown.stage) {
    case "request":
      return new Failure("UPSTREAM_ERROR", `The base URL or the key of ${who} cannot be used in a request.`, {
        cause: thrown,
        retryable: false,
      });
    case "name":
      return passing(
        `The address of ${who} cannot be found. Check the network and the base URL; trying again may help.`,
      );
    case "connect":
      return passing(`${who} cannot be reached. Check the network and the base URL; trying again may help.`);
    case "connect_timeout":
      return new Failure(
        "UPSTREAM_TIMEOUT",
        `No connection to ${who} came about in time. Trying again may help.`,
        { cause: thrown, details: { deadline: "connect" } },
      );
    case "certificate":
      return passing(
        `No secure connection to ${who} came about. Check the base URL, the clock and the certificates that this machine trusts.`,
      );
    case "unanswered":
      return passing(`${who} closed the connection before it answered. Trying again may help.`);
    case "closed":
      return cutOff(context, thrown);
  }
}

function notTheApi(context: DialectContext): Failure {
  return new Failure(
    "UPSTREAM_ERROR",
    `A web page came back in place of an answer of ${vendorOf(context)}. Check its base URL.`,
    { retryable: false },
  );
}
