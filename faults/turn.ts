import { setTimeout as pause } from "node:timers/promises";
import type { ChatEvent } from "../src/protocol/events.ts";
import { type RunState, reduceAll } from "../src/protocol/reduce.ts";
import { eventsOf, type Frame, readFrames } from "../test/support/sse.ts";
import type { Instance } from "./instance.ts";
import type { World } from "./world.ts";

export interface TurnOptions {
  /** The instance for the first request. Later requests go to any running instance. */
  at?: Instance;
  /** A proxy's address to use instead of the instance's own. */
  url?: string;
  /** Use that address for every request, not only the first. */
  always?: boolean;
  onDisconnect?: "continue" | "cancel";
  /** The time without data after which the client reconnects. */
  patienceMs?: number;
  /** The server may lose events that the client has seen, and then start over. */
  mayStartOver?: boolean;
  /** Reuses the key and the text of an earlier turn. */
  sameAs?: FollowedTurn;
}

const DEADLINE_MS = 90_000;
const PAUSE_MS = 40;

let keys = 0;

/**
 * A turn of a client that never gives up. It repeats the request with the same key until the run is acknowledged.
 * Then it follows the run from its last event on any running instance.
 */
export class FollowedTurn {
  readonly text: string;
  readonly key: string;
  readonly frames: Frame[] = [];
  /** Responses that no client should ever get. */
  readonly problems: string[] = [];
  readonly statuses: number[] = [];
  /** How often the server has sent the run again from its first event. */
  timesStartedOver = 0;
  runId: string | undefined;
  sessionId: string | undefined;
  /** Resolves when the run's last frame has been read. */
  readonly ended: Promise<void>;
  readonly #world: World;
  readonly #options: TurnOptions;
  readonly #waiting = new Set<{ text: string; resolve(): void }>();
  readonly #gaveUp = new AbortController();
  #tries = 0;

  constructor(world: World, text: string, options: TurnOptions) {
    this.text = options.sameAs?.text ?? text;
    this.key = options.sameAs?.key ?? `key-${process.pid}-${++keys}`;
    this.#world = world;
    this.#options = options;
    this.ended = this.#persist();
    this.ended.catch(() => undefined); // Callers that await it handle the failure; the checks use the frames.
  }

  /** True when the client knows the run's id. From then on nothing of the run may be lost. */
  get acknowledged(): boolean {
    return this.runId !== undefined;
  }

  get isOver(): boolean {
    return this.frames.at(-1)?.data === "[DONE]";
  }

  /** Resolves when a frame with this text has been read. */
  async seen(text: string): Promise<void> {
    if (this.frames.some(({ data }) => data.includes(text))) return;
    const read = new Promise<void>((resolve) => this.#waiting.add({ text, resolve }));
    await Promise.race([
      read,
      this.ended.then(() => {
        if (!this.frames.some(({ data }) => data.includes(text)))
          throw new Error(`${this.text} ended without ${text}`);
      }),
    ]);
  }

  events(): ChatEvent[] {
    return eventsOf(this.frames);
  }

  state(): RunState {
    return reduceAll(this.events());
  }

  /** Disconnects the client for good. */
  leave(): void {
    this.#gaveUp.abort();
  }

  get left(): boolean {
    return this.#gaveUp.signal.aborted;
  }

  async #persist(): Promise<void> {
    for (const deadline = Date.now() + DEADLINE_MS; !this.isOver && !this.left; ) {
      if (Date.now() > deadline)
        throw new Error(`${this.text} never ended; statuses were ${this.statuses.join(", ")}`);
      const url = this.#nextUrl();
      try {
        if (url !== undefined) await this.#connect(url);
      } catch {
        // The connection or the server is gone; the loop reconnects.
      }
      if (!this.isOver) await pause(PAUSE_MS);
    }
  }

  #nextUrl(): string | undefined {
    const { at, url, always } = this.#options;
    if (this.#tries++ === 0 || always) return url ?? at?.url ?? this.#world.instances[0]?.url;
    const listening = this.#world.instances.flatMap((instance) => instance.url ?? []);
    return listening[this.#tries % Math.max(1, listening.length)];
  }

  async #connect(url: string): Promise<void> {
    const silence = new AbortController();
    const { patienceMs = 3_000 } = this.#options;
    const timer = setTimeout(() => silence.abort(), patienceMs);
    const signal = AbortSignal.any([silence.signal, this.#gaveUp.signal]);
    try {
      const response = await (this.runId === undefined ? this.#ask(url, signal) : this.#follow(url, signal));
      this.statuses.push(response.status);
      if (!response.ok) {
        const said = await response.text();
        if (response.status < 500 && response.status !== 429)
          this.problems.push(`${this.text} got ${response.status}: ${said}`);
        return;
      }
      await readFrames(response, (frame) => {
        timer.refresh();
        this.#take(frame);
        return true;
      });
    } finally {
      clearTimeout(timer);
    }
  }

  #ask(url: string, signal: AbortSignal): Promise<Response> {
    const { onDisconnect } = this.#options;
    return fetch(`${url}/chat`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "idempotency-key": this.key,
        ...this.#world.headers,
      },
      body: JSON.stringify({ message: this.text, ...(onDisconnect ? { onDisconnect } : {}) }),
      signal,
    });
  }

  #follow(url: string, signal: AbortSignal): Promise<Response> {
    const last = this.frames.at(-1)?.id ?? 0;
    const headers = { ...this.#world.headers, "last-event-id": String(last) };
    return fetch(`${url}/runs/${this.runId}/events`, { headers, signal });
  }

  #take(frame: Frame): void {
    if (frame.id === 1 && this.frames.length > 0 && this.#options.mayStartOver) {
      this.frames.length = 0;
      this.timesStartedOver++;
    }
    const last = this.frames.at(-1)?.id ?? 0;
    if (frame.data !== "[DONE]" && frame.id !== last + 1)
      this.problems.push(`${this.text} got event ${frame.id} after ${last}`);
    this.frames.push(frame);
    if (frame.id === 1) {
      const { runId, sessionId } = JSON.parse(frame.data) as { runId: string; sessionId: string };
      this.runId = runId;
      this.sessionId = sessionId;
    }
    for (const waiter of this.#waiting) {
      if (!frame.data.includes(waiter.text)) continue;
      this.#waiting.delete(waiter);
      waiter.resolve();
    }
  }
}
