import { Failure } from "../../protocol/failure.ts";
import { withoutSecrets } from "../../protocol/hidden.ts";
import { parseJson } from "../../protocol/json.ts";
import {
  type EmitModelEvent,
  type Model,
  type ModelInfo,
  type ModelRequest,
  withoutTools,
} from "../../protocol/model.ts";
import type { Dialect, DialectContext, Provider, WireRequest } from "../../protocol/provider.ts";
import {
  type Answer,
  completeDeadlines,
  type Deadlines,
  type DeadlineWatch,
  openAnswer,
  runStoppable,
  watchDeadlines,
} from "./answer.ts";
import {
  type BodyKind,
  createFrameReader,
  encodeBody,
  type FrameReader,
  readBounded,
  recognize,
} from "./body.ts";
import { demandsOf, withChecks } from "./checked-answers.ts";
import { hasExtras, refusedFieldWarnings, vendorToolWarnings, withoutExtras } from "./client-extras.ts";
import { withContinuation } from "./continuation.ts";
import { embed } from "./embeddings.ts";
import { cutOff, vendorOf } from "./failures.ts";
import { refusesImages } from "./images.ts";
import { type Learned, learnedBy, offerTools, type RefuseTools } from "./learned.ts";
import { withTranslation } from "./native-requests.ts";
import { networkFailure, tooSlow, wrongAddress } from "./network-failures.ts";
import { guardPaidRequest } from "./paid-requests.ts";
import { leftOut, type Refused, readRefusal } from "./refusals.ts";
import { endingAt } from "./stop-texts.ts";
import { type PacketIterator, type Transport, TransportError, type TransportResponse } from "./transport.ts";

export interface ModelOptions {
  provider: Provider;
  modelInfo: ModelInfo;
  dialect: Dialect;
  /** The vendor's address, if not its own. */
  baseUrl?: string;
  key?: string;
  transport: Transport;
  deadlines?: Partial<Deadlines>;
}

interface Asking extends ModelOptions {
  /** What the vendor refused before. */
  known: Learned;
}

/** How often one request is sent, each time without something that the vendor refused. */
const MOST_ATTEMPTS = 5;
const ERROR_BODY_LIMIT = 64 * 1024;
const JSON_BODY_LIMIT = 64 * 1024 * 1024;
const PLAIN_TEXT_LIMIT = 1024;
const DRAIN_LIMIT_MS = 1000;
const DRAIN_LIMIT_CHUNKS = 32;
const ANSWER_HEADERS = {
  accept: "text/event-stream, application/json",
  "user-agent": "tackle",
};

/** Combines a vendor, a dialect and a transport into a model. */
export function createModel(options: ModelOptions): Model {
  const { provider, modelInfo } = options;
  const context: DialectContext = {
    model: modelInfo,
    modelId: `${provider.id}/${modelInfo.name}`,
    quirks: {
      ...provider.quirks,
      ...modelInfo.quirks,
      refuses: [provider, modelInfo].flatMap(({ quirks = {} }) => quirks.refuses ?? []),
    },
    label: provider.label,
    keySetting: provider.keySetting,
  };
  const { baseUrl = provider.baseUrl, key } = options;
  const known = learnedBy(options.transport, context.modelId, baseUrl, key);
  const ask: Model["stream"] = (request, emit, signal) => {
    // Not every vendor takes every stop text.
    const stops = request.stop?.filter((text) => text !== "") ?? [];
    const isPaid = request.imageOutput || options.dialect.id === "openai-images";
    const paid = isPaid ? guardPaidRequest(emit) : emit;
    const receive = stops.length > 0 ? endingAt(stops, paid) : paid;
    return offerTools(request, context, options.dialect.id, known, receive, (prepared, pass, refuse) =>
      stream({ ...options, known }, context, prepared, pass, signal, refuse),
    );
  };
  const demanding = withContinuation(
    withChecks(withTranslation(ask), (request) => demandsOf(request, () => refusing(context, known.list()))),
    context,
    known,
  );
  return {
    id: context.modelId,
    info: modelInfo,
    stream: (request, ...rest) => (isPlain(request) ? ask : demanding)(request, ...rest),
    embed: (request, signal) =>
      embed(options.dialect, context, request, {
        post: (path, body, until) => send(options, { path, body }, {}, until),
        key: options.key,
        signal,
      }),
  };
}

/** True for a request in our own words that leaves it to the model how to answer. */
function isPlain({ native, continues, responseFormat, toolChoice = "auto" }: ModelRequest): boolean {
  const isFree = toolChoice === "auto" || toolChoice === "none";
  return !native && continues === undefined && !responseFormat && isFree;
}

/** Resolves after exactly one last event, even if the transport hangs. */
async function stream(
  options: Asking,
  context: DialectContext,
  request: ModelRequest,
  emit: EmitModelEvent,
  signal: AbortSignal,
  refuse: RefuseTools,
): Promise<void> {
  let answer: Answer;
  try {
    answer = openAnswer(options.dialect, context, request, emit);
  } catch (thrown) {
    const failure = new Failure("INTERNAL", "The answer could not be read.", { cause: thrown });
    emit({ type: "failure", failure });
    return;
  }
  const deadlines = completeDeadlines(options.deadlines);
  let watch: DeadlineWatch | undefined;
  await runStoppable(signal, answer.fail, (upstream, stop) => {
    watch = watchDeadlines(deadlines, (missed) => stop(tooSlow(missed, deadlines, context)));
    return ask(options, context, request, answer, watch, upstream, refuse).catch((thrown: unknown) =>
      stop(networkFailure(thrown, context)),
    );
  });
  watch?.stop();
}

async function ask(
  options: Asking,
  context: DialectContext,
  given: ModelRequest,
  answer: Answer,
  watch: DeadlineWatch,
  signal: AbortSignal,
  refuse: RefuseTools,
): Promise<void> {
  const { dialect, key, known } = options;
  let request = given;
  if (request.vendorTools)
    for (const warning of vendorToolWarnings(request, dialect.id, false)) answer.emit(warning);
  const learned: string[] = [];
  let variant = refusing(context, known.list());
  for (let attempt = 1; ; attempt++) {
    const wireRequest = dialect.encode(request, variant);
    if (variant.model.supportsTools !== context.model.supportsTools && request.tools.length > 0)
      answer.emit(withoutTools(context.modelId));
    for (const warning of wireRequest.warnings ?? []) answer.emit(warning);
    const response = await send(options, wireRequest, request, signal);
    watch.alive();
    if (response.status >= 200 && response.status < 300) {
      for (const quirk of learned) known.add(quirk);
      await read(response, answer, dialect, context, watch);
      return;
    }
    const { text } = await readBounded(response.body, ERROR_BODY_LIMIT, watch.alive);
    response.discard();
    const body = withoutSecrets(text, key ? [key] : []);
    const refused: Refused | undefined = refusesImages(response.status, body, request)
      ? { what: "images" }
      : readRefusal(response.status, body, wireRequest.body, dialect.required);
    const next = refused && attempt < MOST_ATTEMPTS ? without(variant, refused) : undefined;
    if (!next && mayBeExtras(response.status, request, dialect)) {
      const failure = refusal(dialect, response, body, context);
      if (failure.code !== "CONTEXT_TOO_LARGE") {
        for (const warning of vendorToolWarnings(request, dialect.id, true)) answer.emit(warning);
        for (const warning of refusedFieldWarnings(request, dialect.id)) answer.emit(warning);
        request = withoutExtras(request);
        watch.restart();
        continue;
      }
    }
    if (refuse(response.status, body)) return;
    if (!refused || !next) {
      answer.fail(refusal(dialect, response, body, context));
      return;
    }
    variant = next;
    if (refused.what === "field") {
      for (const warning of leftOut(refused.path, context)) answer.emit(warning);
      if (refused.lasting !== undefined) learned.push(refused.lasting);
    }
    watch.restart();
  }
}

/** True if the vendor may have refused the request because of extras that it does not know, whatever its error says. */
function mayBeExtras(status: number, request: ModelRequest, { id }: Dialect): boolean {
  return (status === 400 || status === 422) && hasExtras(request, id);
}

async function send(
  options: ModelOptions,
  wireRequest: WireRequest,
  { traceparent }: Pick<ModelRequest, "traceparent">,
  signal: AbortSignal,
): Promise<TransportResponse> {
  const { contentType, body } = await encodeBody(wireRequest);
  return options.transport.send({
    method: "POST",
    url: providerUrl(options.provider, options.baseUrl, wireRequest.path),
    headers: {
      ...providerHeaders(options.provider, options.key),
      ...ANSWER_HEADERS,
      "content-type": contentType,
      ...(traceparent ? { traceparent } : {}),
      ...wireRequest.headers,
    },
    body,
    signal,
  });
}

function refusing(context: DialectContext, more: readonly string[]): DialectContext {
  const refuses = [...(context.quirks.refuses ?? []), ...more];
  const model = more.includes("tools") ? { ...context.model, supportsTools: false } : context.model;
  return { ...context, model, quirks: { ...context.quirks, refuses } };
}

/** Returns how to encode the request without what was refused. Undefined if it was left out already. */
function without(context: DialectContext, refused: Refused): DialectContext | undefined {
  // Without a model id, no message counts as the model's own, so none of its reasoning goes back.
  if (refused.what === "replay") return context.modelId === "" ? undefined : { ...context, modelId: "" };
  if (refused.what === "images")
    return context.quirks.images?.maxCount === 0
      ? undefined
      : { ...context, quirks: { ...context.quirks, images: { maxCount: 0 } } };
  const known = context.quirks.refuses?.includes(refused.path);
  return known ? undefined : refusing(context, [refused.path]);
}

function refusal(
  dialect: Dialect,
  response: TransportResponse,
  body: string,
  context: DialectContext,
): Failure {
  if (response.status >= 400) return dialect.failure(response, body, context);
  // Redirects are not followed, because they could send the key elsewhere.
  return wrongAddress(`${vendorOf(context)} answered from another address. Check its base URL.`);
}

/** Reads an answer with a good status: events or lines, or JSON although events were requested. */
async function read(
  response: TransportResponse,
  answer: Answer,
  dialect: Dialect,
  context: DialectContext,
  watch: DeadlineWatch,
): Promise<void> {
  const chunks = response.body[Symbol.asyncIterator]();
  const first = await firstChunk(chunks, watch);
  if (first?.kind === "json" && !dialect.sendsLines)
    await readJson(first.chunk, chunks, answer, context, watch);
  else if (first?.kind === "html")
    answer.fail(
      wrongAddress(
        `A web page came back in place of an answer from ${vendorOf(context)}. Check its base URL.`,
      ),
    );
  else if (first) {
    const sendsLines = first.kind === "json";
    const reader = createFrameReader({ sendsLines }, { onFrame: answer.frame });
    await readFrames(reader, first.chunk, chunks, answer, watch);
  }
  answer.end(first?.kind === "events" ? plainText(first.chunk) : undefined);
  void drain(chunks, response);
}

/** A proxy's complaint with status 200: the beginning of a body, if it is a text. */
function plainText(chunk: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(chunk.subarray(0, PLAIN_TEXT_LIMIT), { stream: true });
  return /^(?:data|event|id|retry|:)|[^\P{Cc}\s]|\ufffd/mu.test(text) ? undefined : text;
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

async function readFrames(
  reader: FrameReader,
  first: Uint8Array,
  chunks: PacketIterator,
  answer: Answer,
  watch: DeadlineWatch,
): Promise<void> {
  const take = (chunk: Uint8Array) => {
    watch.alive();
    reader.push(chunk);
    return !answer.over;
  };
  if (take(first)) await eachChunk(chunks, take);
  if (!answer.over) reader.end();
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
  const body = parseJson(text);
  if (body !== undefined) answer.whole(body);
  else if (!complete) answer.fail(cutOff(context));
  // Some gateways send each event as a line.
  else for (const line of text.split("\n")) answer.frame(line.trim(), undefined);
}

async function nextChunk(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    const next = await chunks.next();
    return next.done ? undefined : next.value;
  } catch (thrown) {
    throw new TransportError("closed", thrown);
  }
}

/** Reads a finished answer's stream to its end, so that the connection can be reused. Gives up if the rest is long. */
async function drain(chunks: AsyncIterator<Uint8Array>, response: TransportResponse): Promise<void> {
  const timer = setTimeout(response.discard, DRAIN_LIMIT_MS);
  try {
    for (let count = 0; count < DRAIN_LIMIT_CHUNKS; count++) {
      if ((await nextChunk(chunks)) === undefined) break;
    }
  } catch {
    // The answer is complete, so a broken connection does not matter.
  }
  clearTimeout(timer);
  response.discard();
}

// Address and key

/** Returns the URL of a vendor's path. The prefix is not repeated if the base already ends in it. */
export function providerUrl(provider: Provider, baseUrl: string | undefined, path: string): string {
  const base = (baseUrl || provider.baseUrl).replace(/\/+$/, "");
  const prefix = provider.pathPrefix ?? "";
  return base.endsWith(prefix) ? base + path : base + prefix + path;
}

/** Returns the headers that carry the key. */
export function providerHeaders(provider: Provider, key: string | undefined): Record<string, string> {
  if (!key) return {};
  return provider.headers?.(key) ?? { authorization: `Bearer ${key}` };
}
