import type { Readable } from "node:stream";
import request from "undici/lib/api/api-request.js";
import { abortable } from "../protocol/abortable.ts";
import { Failure } from "../protocol/failure.ts";
import { ACCEPT_ENCODING, readBody, tooLarge } from "./fetch-body.ts";
import { checkedAddresses, connectTo, type Resolve } from "./fetch-connect.ts";
import { type FetchPhase, fetchFailure } from "./fetch-failure.ts";
import { checkUrl, type Target, type UrlRules } from "./fetch-url.ts";

export interface ContainedFetchOptions extends UrlRules {
  signal?: AbortSignal;
  /** Sent to the first host only. After a redirect only the `accept` headers and the user agent are sent. */
  headers?: Readonly<Record<string, string>>;
  /** Sent with POST; such a request follows no redirect. */
  requestBody?: string | Uint8Array;
  /** GET, or POST if there is something to send. Only GET and HEAD follow redirects. */
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Limit of the body, both on the wire and after decompression. */
  maxBytes?: number;
  maxRedirects?: number;
  /** Limit for everything, including redirects and body. */
  totalMs?: number;
  /** Limit from the start of each request to the end of its headers. */
  headersMs?: number;
  resolve?: Resolve;
  /** Called before the body is read. A `Failure` that it throws ends the fetch. */
  inspect?(head: FetchHead): void;
}

/** Status and headers of an answer. */
export interface FetchHead {
  /** The address after all redirects. */
  url: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  /** The `content-type` header as it came, or nothing. */
  contentType: string;
  redirects: number;
}

export interface FetchedPage extends FetchHead {
  body: Uint8Array;
}

const MAX_BYTES = 10 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const MAX_HEADER_BYTES = 32_768;
const TOTAL_MS = 20_000;
const HEADERS_MS = 10_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HEADERS_FOR_EVERY_HOST: ReadonlySet<string> = new Set(["accept", "accept-language", "user-agent"]);

const DEFAULT_HEADERS = {
  "user-agent": "Mozilla/5.0 (compatible; Tackle)",
  accept: "*/*",
  "accept-language": "en,*;q=0.5",
  "accept-encoding": ACCEPT_ENCODING,
};

/**
 * Fetches a page of the public internet. Each redirect is parsed, resolved and checked again, and connections only go to
 * addresses that were checked. Sends no cookies and uses no proxies from the environment.
 * Throws `Failure`: INVALID_INPUT where the URL is bad or not public, UPSTREAM_TIMEOUT, UPSTREAM_ERROR, TOO_LARGE; on
 * abort, the signal's reason.
 */
export async function containedFetch(url: string, options: ContainedFetchOptions = {}): Promise<FetchedPage> {
  options.signal?.throwIfAborted();
  const deadline = AbortSignal.timeout(options.totalMs ?? TOTAL_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
  const maxRedirects = ["GET", "HEAD"].includes(methodOf(options))
    ? (options.maxRedirects ?? MAX_REDIRECTS)
    : 0;
  let target = checkUrl(url, options);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const phase: FetchPhase = { redirected: redirects > 0, hostname: target.hostname, timedOut: false };
    try {
      const outcome = await hop(target, redirects, { ...options, signal, phase });
      if (!("location" in outcome)) return outcome;
      phase.redirected = true;
      target = checkUrl(outcome.location, options, target.url);
    } catch (thrown) {
      options.signal?.throwIfAborted();
      phase.timedOut ||= deadline.aborted;
      throw fetchFailure(thrown, phase);
    }
  }
  throw new Failure("UPSTREAM_ERROR", `The page redirects more than ${maxRedirects} times.`, {
    retryable: false,
  });
}

interface HopOptions extends ContainedFetchOptions {
  signal: AbortSignal;
  phase: FetchPhase;
}

/** Sends one request. Returns the answer or the target of a redirect. */
async function hop(
  target: Target,
  redirects: number,
  options: HopOptions,
): Promise<FetchedPage | { location: string }> {
  const headersMs = options.headersMs ?? HEADERS_MS;
  const late = new AbortController();
  const timer = setTimeout(() => {
    options.phase.timedOut = true;
    late.abort();
  }, headersMs);
  const signal = AbortSignal.any([options.signal, late.signal]);
  try {
    const addresses = await abortable(checkedAddresses(target, options.resolve), signal);
    const connection = connectTo(target, addresses, {
      connectMs: headersMs,
      maxHeaderBytes: MAX_HEADER_BYTES,
    });
    try {
      const { pathname, search } = target.url;
      const response = await request.call(connection.client, {
        method: methodOf(options),
        path: `${pathname}${search}`,
        headers: headersFor(options.headers, redirects),
        ...(options.requestBody === undefined ? {} : { body: options.requestBody }),
        signal,
      });
      clearTimeout(timer);
      // An abort fails the body; its reader reports that.
      response.body.on("error", () => undefined);
      const head = headOf(target, response.statusCode, response.headers, redirects);
      const location = head.headers.location;
      if (REDIRECTS.has(head.status) && location !== undefined) return { location };
      options.inspect?.(head);
      return { ...head, body: await read(response.body, head.headers, options.maxBytes ?? MAX_BYTES) };
    } finally {
      await connection.close();
    }
  } finally {
    clearTimeout(timer);
  }
}

function methodOf({ method, requestBody }: ContainedFetchOptions) {
  return method ?? (requestBody === undefined ? "GET" : "POST");
}

function read(body: Readable, headers: FetchHead["headers"], maxBytes: number): Promise<Uint8Array> {
  if (Number(headers["content-length"]) > maxBytes) throw tooLarge(maxBytes);
  return readBody(body, headers["content-encoding"] ?? "", maxBytes);
}

function headersFor(own: ContainedFetchOptions["headers"] = {}, redirects: number): Record<string, string> {
  const entries = Object.entries(own).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  const kept = entries.filter(([name]) => redirects === 0 || HEADERS_FOR_EVERY_HOST.has(name));
  return { ...DEFAULT_HEADERS, ...Object.fromEntries(kept) };
}

function headOf(
  target: Target,
  status: number,
  raw: Record<string, string | string[] | undefined>,
  redirects: number,
): FetchHead {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(raw)) {
    if (value !== undefined) headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  const contentType = headers["content-type"] ?? "";
  return { url: target.url.href, status, headers, contentType, redirects };
}
