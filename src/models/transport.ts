import type { Dispatcher } from "undici";
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";
import { decompressed } from "./decompress.ts";
import { stageOf } from "./failed-connections.ts";
import type { Proxies } from "./proxies.ts";
import { delayWhileBusy, ReadBackoff, type ReadDelay } from "./read-backoff.ts";
import {
  type PacketIterator,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from "./wire/transport.ts";

export interface TransportOptions {
  /** How long a connection may take to open, TLS included: 10 seconds by default. */
  connectTimeoutMs?: number;
  /** How long to wait after a read; `false` switches read backoff off. By default it depends on the load. */
  readDelay?: ReadDelay | false;
  proxies?: Proxies | undefined;
}

/** Opens connections to model providers. They stay open between requests; redirects are not followed, so a key stays with its host. */
export function createTransport(options: TransportOptions = {}): Transport {
  const { connectTimeoutMs: timeout = 10_000, readDelay = delayWhileBusy() } = options;
  const connector = { timeout, allowH2: false };
  const backoff = readDelay ? new ReadBackoff(readDelay) : undefined;
  const settings = {
    connect: backoff ? connectWithBackoff(connector, backoff) : connector,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    allowH2: false,
    // The exchange has its own deadlines, each with its own message.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const agent = options.proxies?.({ ...settings, connectTimeout: timeout }) ?? new Agent(settings);
  return {
    send: (message) => send(agent, message, backoff),
    close: () => agent.destroy(),
  };
}

function connectWithBackoff(
  options: buildConnector.BuildOptions,
  backoff: ReadBackoff,
): buildConnector.connector {
  const connect = buildConnector({ ...options, onread: backoff.onread() } as buildConnector.BuildOptions);
  return (target, callback) =>
    connect(target, (error, socket) => {
      if (error) return callback(error, null);
      backoff.attach(socket);
      callback(null, socket);
    });
}

function send(
  agent: Dispatcher,
  { method, url, headers, body, signal }: TransportRequest,
  backoff: ReadBackoff | undefined,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const fail = (thrown: unknown) =>
      reject(signal.aborted ? thrown : new TransportError(stageOf(thrown), thrown));
    try {
      signal.throwIfAborted();
      const { origin, pathname, search } = new URL(url);
      const request = { origin, path: pathname + search, method, headers, body };
      agent.dispatch(request, new Answer(signal, backoff, resolve, fail));
    } catch (thrown) {
      fail(thrown);
    }
  });
}

/** Receives one answer from the network, without a stream in between. */
class Answer implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #backoff: ReadBackoff | undefined;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (thrown: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #packets: Packets | undefined;

  constructor(
    signal: AbortSignal,
    backoff: ReadBackoff | undefined,
    resolve: (response: TransportResponse) => void,
    reject: (thrown: unknown) => void,
  ) {
    this.#signal = signal;
    this.#backoff = backoff;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener("abort", this.#abort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.#abort();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: TransportResponse["headers"],
  ): void {
    if (status < 200) return;
    const stop = () => {
      if (!packets.isOver) controller.abort(new Error("the rest of the answer is not wanted"));
    };
    const packets = new Packets({ pause: () => controller.pause(), resume: () => controller.resume(), stop });
    this.#packets = packets;
    const codings = headers["content-encoding"];
    const body = codings === undefined ? packets : decompressed(packets, codings);
    this.#resolve({ status, headers, body, discard: stop });
  }

  onResponseData(_controller: Dispatcher.DispatchController, packet: Buffer): void {
    if (this.#backoff) this.#backoff.packets++;
    this.#packets?.push(packet);
  }

  onResponseEnd(): void {
    this.#over();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#over(error);
  }

  readonly #abort = () => {
    const reason: unknown = this.#signal.reason;
    this.#controller?.abort(reason instanceof Error ? reason : new Error("aborted", { cause: reason }));
    this.#over(reason);
  };

  #over(error?: unknown): void {
    this.#signal.removeEventListener("abort", this.#abort);
    if (this.#packets) this.#packets.end(error);
    else this.#reject(error ?? new Error("the answer ended before it began"));
  }
}

/** Controls the connection that the packets come from. */
interface Flow {
  pause(): void;
  resume(): void;
  /** Gives up the rest of the body. */
  stop(): void;
}

/**
 * The packets of a body as they arrive, read one at a time or by callback. For packets of one token, Node's streams and
 * their iterators cost more than decoding the packet.
 */
class Packets implements PacketIterator, AsyncIterable<Uint8Array> {
  readonly #flow: Flow;
  readonly #waiting: Uint8Array[] = [];
  #take: ((packet: Uint8Array) => boolean) | undefined;
  #wake: (() => void) | undefined;
  #end: { error?: unknown } | undefined;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  push(packet: Uint8Array): void {
    // A resumed flow may start with an empty packet. Pausing again for it would loop forever.
    if (packet.length === 0) return;
    if (this.#take) {
      if (this.#take(packet)) return;
      this.#take = undefined;
    } else this.#waiting.push(packet);
    this.#flow.pause();
    this.#wake?.();
  }

  /** Ends the body, with an error if it is incomplete. Later calls are ignored. */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      const packet = this.#waiting.shift();
      if (packet) return { done: false, value: packet };
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return { done: true, value: undefined };
      // Set up before the flow resumes, because a packet or the end may arrive synchronously.
      const woken = this.#woken();
      this.#flow.resume();
      await woken;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#flow.stop();
    return { done: true, value: undefined };
  }

  async forEach(take: (packet: Uint8Array) => boolean): Promise<void> {
    for (let packet = this.#waiting.shift(); packet; packet = this.#waiting.shift())
      if (!take(packet)) return;
    let thrown: { error: unknown } | undefined;
    let enough = false;
    this.#take = (packet) => {
      try {
        enough = !take(packet);
      } catch (error) {
        thrown = { error };
      }
      return !enough && !thrown;
    };
    this.#flow.resume();
    while (!this.#end && !enough && !thrown) await this.#woken();
    this.#take = undefined;
    if (thrown) throw thrown.error;
    if (this.#end?.error && !enough) throw this.#end.error;
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
