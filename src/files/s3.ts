import { openAsBlob } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { Failure } from "../protocol/failure.ts";
import type { ByteStore } from "./byte-store.ts";

export interface S3Options {
  /** Without the bucket, which goes into the path. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Times in milliseconds; the defaults are right outside of tests. */
  answerMs?: number;
  idleMs?: number;
  retryMs?: number;
}

interface Ask {
  method: "GET" | "PUT" | "DELETE";
  headers?: Record<string, string>;
  body?: Blob;
  signal?: AbortSignal;
}

const ATTEMPTS = 4;
/** From the start of a request to the head of its answer; sending a file adds what a slow line takes for it. */
const ANSWER_MS = 10_000;
const SENDING_BYTES_PER_MS = 100;
const IDLE_MS = 30_000;
const RETRY_MS = 100;
/** SHA-256 of nothing: what requests without a body are signed with. */
const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Files in a bucket of an object storage that speaks S3. */
export function s3Store(options: S3Options): ByteStore {
  const base = `${options.endpoint.replace(/\/+$/, "")}/${encodeURIComponent(options.bucket)}`;
  const { accessKeyId, secretAccessKey, region, answerMs = ANSWER_MS, retryMs = RETRY_MS } = options;

  async function once(id: string, { method, headers, body, signal }: Ask): Promise<Response> {
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
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), answerMs + (body?.size ?? 0) / SENDING_BYTES_PER_MS);
    try {
      return await fetch(signed.url, {
        method,
        headers: signed.headers,
        redirect: "error",
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        ...(body ? { body } : {}),
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Asks until there is an answer that trying again would not change. */
  async function ask(id: string, request: Ask): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await once(id, request).catch((cause: unknown) => unreachable(cause));
      request.signal?.throwIfAborted();
      const failure = outcome instanceof Failure ? outcome : failureOf(outcome.status, request.method);
      if (!failure && outcome instanceof Response) return outcome;
      if (outcome instanceof Response) await outcome.body?.cancel();
      if (!failure?.retryable || attempt === ATTEMPTS) throw failure;
      await pause(retryMs * 2 ** (attempt - 1) * (0.5 + Math.random()), undefined, {
        signal: request.signal,
      });
    }
  }

  return {
    async keep(id, { path, sha256 }, signal) {
      try {
        const body = await openAsBlob(path);
        const answer = await ask(id, {
          method: "PUT",
          headers: { "x-amz-content-sha256": sha256 },
          body,
          ...(signal ? { signal } : {}),
        });
        await answer.body?.cancel();
      } finally {
        await rm(path, { force: true });
      }
    },
    async open(id, range) {
      const part = range && { headers: { range: `bytes=${range.start}-${range.end}` } };
      const answer = await ask(id, { method: "GET", ...part });
      if (answer.status === 404) {
        await answer.body?.cancel();
        throw new Failure("NOT_FOUND", "This file is not there any more.");
      }
      if (!answer.body) throw unreachable(new Error("an answer without a body"));
      return withIdleLimit(answer.body, options.idleMs ?? IDLE_MS);
    },
    async remove(id) {
      await (await ask(id, { method: "DELETE" })).body?.cancel();
    },
  };
}

/** Undefined for an answer that can be used; that there is no such file is one, but not to who wanted to write it. */
function failureOf(status: number, method: Ask["method"]): Failure | undefined {
  if ((status >= 200 && status < 300) || (status === 404 && method !== "PUT")) return undefined;
  if (status === 507) return new Failure("STORAGE_FULL", "The object storage is full.");
  const passing = status === 408 || status === 429 || status >= 500;
  const message = passing
    ? "The object storage is in trouble just now. Trying again may help."
    : "The object storage refused the request. The S3 settings of this server need a look.";
  return new Failure("UPSTREAM_ERROR", message, { retryable: passing, cause: `S3 answered ${status}` });
}

function unreachable(cause: unknown): Failure {
  return new Failure(
    "UPSTREAM_ERROR",
    "The object storage cannot be reached just now. Trying again may help.",
    {
      cause,
    },
  );
}

/** The chunks of a body, as long as they keep coming. */
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
    // Nobody reads on; what the other side still says about it is of no use.
    await reader.cancel().catch(() => undefined);
  }
}

function withinTime<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(unreachable(new Error("no bytes came"))), milliseconds);
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}
