import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { Failure, type FailureCode } from "../protocol/failure.ts";
import { buildFromPieces, type Pieces } from "./json-pieces.ts";
import type { JsonBounds } from "./json-shape.ts";

export interface LargeJsonRequest {
  bytes: Uint8Array<ArrayBuffer>;
  bounds: JsonBounds;
}

export type LargeJsonAnswer =
  | { bytes: Uint8Array<ArrayBuffer>; pieces: Pieces }
  | { refusal: { code: FailureCode; message: string } };

interface Job extends LargeJsonRequest {
  done: PromiseWithResolvers<LargeJsonAnswer>;
}

const MAX_WORKERS = 2;
const MAX_WAITING = 16;
const TIMEOUT_MS = 20_000;
const WORKER_MEMORY_MB = 768;

const idle: Worker[] = [];
const waiting: Job[] = [];
let started = 0;

/**
 * Parses a large JSON text without holding the event loop: a worker checks it and cuts it into pieces, from which this
 * thread builds the value in short slices. A finished object would be copied back in one go, which takes longer than
 * parsing it here. Throws INVALID_INPUT, TOO_LARGE or RESOURCE_EXHAUSTED. The bytes must not be used afterward.
 */
export async function parseLargeJson(bytes: Uint8Array<ArrayBuffer>, bounds: JsonBounds): Promise<unknown> {
  if (waiting.length >= MAX_WAITING) throw overloaded();
  const job: Job = { bytes, bounds, done: Promise.withResolvers() };
  waiting.push(job);
  startNext();
  const answer = await job.done.promise;
  if ("refusal" in answer) throw new Failure(answer.refusal.code, answer.refusal.message);
  return buildFromPieces(Buffer.from(answer.bytes.buffer), answer.pieces);
}

function startNext(): void {
  if (waiting.length === 0 || (idle.length === 0 && started >= MAX_WORKERS)) return;
  const job = waiting.shift();
  if (job) work(idle.pop() ?? startWorker(), job);
}

function startWorker(): Worker {
  started++;
  const worker = new Worker(new URL(`./large-json-worker${extname(import.meta.url)}`, import.meta.url), {
    name: "large bodies",
    resourceLimits: { maxOldGenerationSizeMb: WORKER_MEMORY_MB },
    env: {},
    execArgv: [],
  });
  worker.unref();
  return worker;
}

function work(worker: Worker, { bytes, bounds, done }: Job): void {
  const finish = (isUsable: boolean): void => {
    clearTimeout(late);
    worker.off("message", take).off("error", fail).off("exit", fail);
    if (isUsable) idle.push(worker);
    else started--;
    if (!isUsable) void worker.terminate();
    startNext();
  };
  const take = (answer: LargeJsonAnswer): void => {
    done.resolve(answer);
    finish(true);
  };
  const fail = (): void => {
    done.reject(overloaded());
    finish(false);
  };
  const late = setTimeout(fail, TIMEOUT_MS);
  worker.on("message", take).on("error", fail).on("exit", fail);
  worker.postMessage({ bytes, bounds } satisfies LargeJsonRequest, [bytes.buffer]);
}

function overloaded(): Failure {
  const sentence = "The server is busy with other large requests. Try again in a few seconds.";
  return new Failure("RESOURCE_EXHAUSTED", sentence, { retryable: true, retryAfter: 5 });
}
