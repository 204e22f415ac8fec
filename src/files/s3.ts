import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { AwsV4Signer } from "aws4fetch";
import { backoffMs, retrying } from "../protocol/abortable.ts";
import { Failure } from "../protocol/failure.ts";
import type { ByteStore } from "./byte-store.ts";

export interface S3Options {
  /** Without the bucket, which is part of the path. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Milliseconds. Tests shorten them. */
  answerMs?: number;
  idleMs?: number;
  retryMs?: number;
}

interface S3Request {
  method: "GET" | "PUT" | "DELETE";
  headers?: Record<string, string>;
  /** The file to send. */
  file?: { path: string; size: number };
  signal?: AbortSignal;
}

const ATTEMPTS = 4;
/** From the start of a request to the response headers, or the longest silence of an upload. Not retried. */
const ANSWER_MS = 8_000;
const IDLE_MS = 30_000;
const RETRY_MS = 150;
/** SHA-256 of an empty body. */
const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Stores files in an S3 bucket. */
export function s3Store(options: S3Options): ByteStore {
  const base = `${options.endpoint.replace(/\/+$/, "")}/${encodeURIComponent(options.bucket)}`;
  const { accessKeyId, secretAccessKey, region, answerMs = ANSWER_MS, retryMs = RETRY_MS } = options;

  async function once(id: string, { method, headers, file, signal }: S3Request): Promise<Response> {
    const url = `${base}/${id}`;
    const signed = await new AwsV4Signer({
      method,
      url,
      headers: { "x-amz-content-sha256": EMPTY, ...headers },
      accessKeyId,
      secretAccessKey,
      region,
      service: "s3",
    }).sign();
    if (file) return upload(signed, file, answerMs, signal);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooSlow()), answerMs);
    try {
      return await fetch(signed.url, {
        method,
        headers: signed.headers,
        redirect: "error",
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends a request, and retries failures that may pass. */
  async function send(id: string, request: S3Request): Promise<Response> {
    const { method, signal } = request;
    const attempt = async () => {
      const response = await once(id, request).catch((cause: unknown) => {
        signal?.throwIfAborted();
        throw cause instanceof Failure ? cause : unreachable(cause);
      });
      const failure = failureOf(response.status, method);
      if (!failure) return response;
      await response.body?.cancel();
      throw failure;
    };
    const waitBefore = (thrown: unknown, retry: number) =>
      thrown instanceof Failure && thrown.code === "UPSTREAM_ERROR" && thrown.retryable && retry < ATTEMPTS
        ? backoffMs(retry, { firstMs: retryMs })
        : undefined;
    return retrying(attempt, waitBefore, signal);
  }

  return {
    async keep(id, { path, size, sha256 }, signal) {
      try {
        const answer = await send(id, {
          method: "PUT",
          headers: { "x-amz-content-sha256": sha256 },
          file: { path, size },
          signal,
        });
        await answer.body?.cancel();
      } finally {
        await rm(path, { force: true });
      }
    },
    async open(id, range) {
      const part = range && { headers: { range: `bytes=${range.start}-${range.end}` } };
      const answer = await send(id, { method: "GET", ...part });
      if (answer.status === 404) {
        await answer.body?.cancel();
        throw new Failure("NOT_FOUND", "This file no longer exists.");
      }
      if (!answer.body) throw unreachable(new Error("the response has no body"));
      return withIdleLimit(answer.body, options.idleMs ?? IDLE_MS);
    },
    async remove(id) {
      await (await send(id, { method: "DELETE" })).body?.cancel();
    },
  };
}

/** Sends a file. Unlike `fetch`, it notices a bucket that stops taking bytes. */
async function upload(
  { url, headers }: { url: URL; headers: Headers },
  { path, size }: { path: string; size: number },
  silenceMs: number,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const answered = Promise.withResolvers<Response>();
  const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
    method: "PUT",
    headers: { ...Object.fromEntries(headers), "content-length": size },
    timeout: silenceMs,
    ...(signal ? { signal } : {}),
  });
  request.on("timeout", () => request.destroy(tooSlow(", so the file was not saved")));
  request.on("error", answered.reject);
  request.on("response", (response) => {
    response.resume();
    answered.resolve(new Response(null, { status: response.statusCode ?? 502 }));
  });
  const source = createReadStream(path).on("error", (thrown) => request.destroy(thrown));
  source.pipe(request);
  return answered.promise.finally(() => source.destroy());
}

/** Returns undefined for a usable response. A missing file is one, except for an upload. */
function failureOf(status: number, method: S3Request["method"]): Failure | undefined {
  if ((status >= 200 && status < 300) || (status === 404 && method !== "PUT")) return undefined;
  if (status === 507) return new Failure("STORAGE_FULL", "The object storage is full.");
  const temporary = status === 408 || status === 429 || status >= 500;
  const message = temporary
    ? "The object storage has a problem right now. Try again in a moment."
    : "The object storage refused the request. Check the S3 settings of this server.";
  return new Failure("UPSTREAM_ERROR", message, { retryable: temporary, cause: `S3 answered ${status}` });
}

function tooSlow(consequence = ""): Failure {
  const sentence = `The object storage did not answer in time${consequence}. Try again in a moment.`;
  return new Failure("UPSTREAM_TIMEOUT", sentence, { retryAfter: 5 });
}

function unreachable(cause: unknown): Failure {
  return new Failure(
    "UPSTREAM_ERROR",
    "The object storage cannot be reached right now. Try again in a moment.",
    {
      cause,
    },
  );
}

/** Yields the chunks of a body. Throws when none comes for too long. */
async function* withIdleLimit(body: ReadableStream<Uint8Array>, idleMs: number): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await withinTime(reader.read(), idleMs);
      if (done) return;
      yield value;
    }
  } catch (thrown) {
    throw thrown instanceof Failure ? thrown : unreachable(thrown);
  } finally {
    // The rest is not read, so a failure to cancel does not matter.
    await reader.cancel().catch(() => undefined);
  }
}

function withinTime<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(unreachable(new Error("no bytes arrived in time"))),
    milliseconds,
  );
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}
