import type { EmbeddingRequest, Embeddings, Vector } from "../../protocol/embeddings.ts";
import { Failure } from "../../protocol/failure.ts";
import { withoutSecrets } from "../../protocol/hidden.ts";
import { isObject, type JsonObject, parseJson } from "../../protocol/json.ts";
import { addUsage, type Usage } from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import { readBounded } from "./body.ts";
import { cutOff, unreadable, vendorOf } from "./failures.ts";
import { networkFailure } from "./network-failures.ts";
import { normalizeUsage, readChatUsage, readCount } from "./usage.ts";

/** Sends a body to the vendor's path. Rejects as a transport does. */
export type PostJson = (
  path: string,
  body: JsonObject,
  signal: AbortSignal,
) => Promise<{
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: AsyncIterable<Uint8Array>;
}>;

/** How a family of vendors is asked for embeddings. */
interface EmbeddingForm {
  encode(request: EmbeddingRequest, context: DialectContext): { path: string; body: JsonObject };
  read(body: Record<string, unknown>): { vectors: unknown[]; usage?: Usage };
  /** Takes tokens besides texts. */
  takesTokens?: true;
}

const BODY_LIMIT = 64 * 1024 * 1024;
/** So many inputs go into one request. Numbers take long to parse, and vendors have limits of their own. */
const BATCH = 64;
const TIMEOUT_MS = 120_000;

const openai: EmbeddingForm = {
  takesTokens: true,
  encode({ input, dimensions, encoding, extra }, { model, quirks }) {
    const form = quirks.base64Embeddings ? encoding : "float";
    return {
      path: "/embeddings",
      body: {
        ...extra,
        model: model.name,
        input,
        encoding_format: form,
        ...(dimensions !== undefined && { dimensions }),
      },
    };
  },
  read({ data, usage }) {
    const entries = Array.isArray(data) ? data.filter(isObject) : [];
    const ordered = entries.toSorted((left, right) => Number(left.index ?? 0) - Number(right.index ?? 0));
    return { vectors: ordered.map(({ embedding }) => embedding), usage: readChatUsage(usage) };
  },
};

const gemini: EmbeddingForm = {
  encode({ input, dimensions }, { model: { name } }) {
    const requests = input.map((text) => ({
      model: `models/${name}`,
      content: { parts: [{ text }] },
      ...(dimensions !== undefined && { outputDimensionality: dimensions }),
    }));
    return { path: `/v1beta/models/${encodeURIComponent(name)}:batchEmbedContents`, body: { requests } };
  },
  read: ({ embeddings }) => ({
    vectors: Array.isArray(embeddings)
      ? embeddings.map((entry: unknown) => (isObject(entry) ? entry.values : undefined))
      : [],
  }),
};

const ollama: EmbeddingForm = {
  encode: ({ input, dimensions, extra, ollama: own }, { model: { name } }) => ({
    path: "/api/embed",
    body: { ...extra, ...own, model: name, input, ...(dimensions !== undefined && { dimensions }) },
  }),
  read: ({ embeddings, prompt_eval_count: count }) => ({
    vectors: Array.isArray(embeddings) ? embeddings : [],
    usage: { inputTokens: readCount(count) ?? 0, outputTokens: 0 },
  }),
};

/** The forms by the dialect in which a vendor's models chat. */
const FORMS: Readonly<Record<string, EmbeddingForm>> = {
  "openai-chat": openai,
  "openai-responses": openai,
  "openai-images": openai,
  gemini,
  ollama,
};

/** Asks a vendor for embeddings, a batch at a time. Throws a `Failure`. */
export async function embed(
  dialect: { id: string; failure(response: object, body: string, context: DialectContext): Failure },
  context: DialectContext,
  request: EmbeddingRequest,
  { post, key, signal }: { post: PostJson; key: string | undefined; signal: AbortSignal },
): Promise<Embeddings> {
  const form = FORMS[dialect.id];
  const param = { details: { param: "model" } };
  if (!form) throw new Failure("INVALID_INPUT", `${vendorOf(context)} has no embeddings.`, param);
  if (!form.takesTokens && request.input.some((one) => typeof one !== "string"))
    throw new Failure("INVALID_INPUT", `${vendorOf(context)} embeds texts, not tokens.`, {
      details: { param: "input" },
    });
  const vectors: Vector[] = [];
  const usage: Usage = { inputTokens: 0, outputTokens: 0 };
  const until = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  for (let at = 0; at < request.input.length; at += BATCH) {
    const input = request.input.slice(at, at + BATCH);
    const { path, body } = form.encode({ ...request, input }, context);
    const answer = form.read(await askFor(path, body));
    const read = answer.vectors.filter(isVector);
    if (read.length !== input.length) throw unreadable(context);
    vectors.push(...read);
    const estimate = { inputTokens: tokensIn(input), outputTokens: 0, estimated: true };
    addUsage(usage, answer.usage?.inputTokens ? answer.usage : estimate);
  }
  return {
    vectors,
    usage: { ...normalizeUsage(usage, context.model.price), ...(usage.estimated && { estimated: true }) },
  };

  async function askFor(path: string, body: JsonObject): Promise<Record<string, unknown>> {
    try {
      const response = await post(path, body, until);
      const { text, complete } = await readBounded(response.body, BODY_LIMIT, () => undefined);
      if (response.status < 200 || response.status >= 300)
        throw dialect.failure(response, withoutSecrets(text, key ? [key] : []), context);
      if (!complete) throw cutOff(context);
      const value = parseJson(text);
      if (!isObject(value)) throw unreadable(context);
      return value;
    } catch (thrown) {
      if (!(thrown instanceof Failure) && until.aborted && !signal.aborted)
        throw new Failure("UPSTREAM_TIMEOUT", `${vendorOf(context)} took too long. Trying again may help.`, {
          retryable: true,
        });
      throw thrown instanceof Failure ? thrown : networkFailure(thrown, context);
    }
  }
}

function isVector(value: unknown): value is Vector {
  return typeof value === "string" || (Array.isArray(value) && typeof value[0] === "number");
}

function tokensIn(input: EmbeddingRequest["input"]): number {
  return input.reduce(
    (sum, one) => sum + (typeof one === "string" ? Math.ceil(one.length / 4) : one.length),
    0,
  );
}
