import { containedFetch, type FetchHead } from "../../contain/fetch.ts";
import { hostAndPort } from "../../contain/fetch-url.ts";
import { backoffMs, retrying } from "../../protocol/abortable.ts";
import { Failure } from "../../protocol/failure.ts";
import { afterRetries, connectionFailure, statusFailure, unreadable, worthRetrying } from "./failures.ts";
import type { Access, ProviderAnswer, ProviderRequest, SearchProvider, SearchQuery } from "./provider.ts";

/** How often and how long to try. */
export interface Patience {
  retries: number;
  /** The pause before the first retry. Each later one is twice as long. */
  firstPauseMs: number;
  attemptMs: number;
  /** For all attempts and pauses together. */
  totalMs: number;
  random(): number;
}

export const PATIENCE: Patience = {
  retries: 2,
  firstPauseMs: 400,
  attemptMs: 8_000,
  totalMs: 20_000,
  random: Math.random,
};

export interface Exchange {
  provider: SearchProvider;
  access: Access;
  search: SearchQuery;
  signal: AbortSignal;
  patience: Patience;
  /** Called before each retry. */
  onRetry(retry: number, failure: Failure): void;
}

export interface Answered extends ProviderAnswer {
  retryCount: number;
}

const MAX_BYTES = 2_000_000;
const JSON_TYPE = /^(?:application|text)\/(?:[\w.+-]*\+)?(?:json|javascript|x-javascript)\s*(?:;|$)/i;

/** Sends a search to a provider, with retries. Throws `Failure`; on abort, the signal's reason. */
export async function exchange(options: Exchange): Promise<Answered> {
  const { patience, signal } = options;
  const deadline = performance.now() + patience.totalMs;
  const ask = async (retryCount: number) => {
    const left = Math.ceil(Math.max(1, deadline - performance.now()));
    return { ...(await attempt(options, Math.min(patience.attemptMs, left))), retryCount };
  };
  const waitBefore = (thrown: unknown, retry: number) => {
    signal.throwIfAborted();
    if (!(thrown instanceof Failure)) return undefined;
    const { firstPauseMs: firstMs, random } = patience;
    const waitMs = backoffMs(retry, { firstMs, random }, thrown.retryAfter);
    const late = performance.now() + waitMs >= deadline;
    if (retry > patience.retries || late || !worthRetrying(thrown)) throw afterRetries(thrown, retry - 1);
    options.onRetry(retry, thrown);
    return waitMs;
  };
  return retrying(ask, waitBefore, signal);
}

/** What is sent to a service, and where it may be. */
export function fetchOptions({ headers, body }: ProviderRequest, { allowPrivate, baseUrl }: Access) {
  return {
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { requestBody: JSON.stringify(body) }),
    allow: allowPrivate ? [hostAndPort(new URL(baseUrl))] : [],
  };
}

async function attempt(options: Exchange, ms: number): Promise<ProviderAnswer> {
  const { provider, access, search, signal } = options;
  const request = provider.request(search, access);
  let head: FetchHead | undefined;
  let text = "";
  try {
    const fetched = await containedFetch(request.url, {
      signal,
      ...fetchOptions(request, access),
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
      headersMs: ms,
      totalMs: ms,
      inspect(received) {
        head = received;
        if (isSuccess(received) && !JSON_TYPE.test(received.contentType))
          throw unreadable(provider.label, "something else than results");
      },
    });
    text = new TextDecoder().decode(fetched.body);
    if (isSuccess(fetched)) return readAnswer(provider, text);
  } catch (thrown) {
    signal.throwIfAborted();
    const isError = head && (!isSuccess(head) || provider.statuses?.[head.status]);
    if (!isError) throw thrown instanceof Failure ? explain(provider, thrown) : thrown;
  }
  // An error status counts even where its body could not be read.
  throw statusFailure(provider, { status: head?.status ?? 0, headers: head?.headers ?? {}, body: text });
}

function isSuccess({ status }: FetchHead): boolean {
  return status >= 200 && status < 300;
}

function explain(provider: SearchProvider, failure: Failure): Failure {
  return failure.details?.unreadable === true ? failure : connectionFailure(provider, failure);
}

function readAnswer(provider: SearchProvider, text: string): ProviderAnswer {
  const read = provider.read(parsed(provider, text));
  if (!read) throw unreadable(provider.label, "an answer that is not understood");
  return read;
}

function parsed({ label }: SearchProvider, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw unreadable(label, "an answer that is damaged", thrown);
  }
}
