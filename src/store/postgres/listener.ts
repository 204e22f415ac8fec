import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { backoffMs } from "../../protocol/abortable.ts";
import { decodeNotification, type Notification } from "./notifications.ts";
import { quoted } from "./schema.ts";

export interface ListenerOptions {
  url: string;
  /** The channel of all instances, and that of this one. */
  channels: readonly string[];
  /** Must not throw. */
  onNotification(notification: Notification, channel: string): void;
  /** Called after each heartbeat with whether an instance of the former version is connected too. Must not throw. */
  onFormer?(isThere: boolean): void;
  /** Called after the connection was lost and restored: notifications may have been missed. Must not throw. */
  onGap(): void;
}

const RECONNECT = { firstMs: 50, maxMs: 5_000 };
/** How often the connection is checked, and how long it may take to answer. */
const HEARTBEAT_MS = 10_000;
const SILENCE_MS = 5_000;

/** Listeners of the former version have this name. */
const FORMER = `SELECT EXISTS (
  SELECT FROM pg_stat_activity WHERE application_name = 'tackle listener' AND datname = current_database()
) AS former`;

/** The one connection of a process that receives notifications. It reconnects by itself, for as long as it takes. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #stop = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#ended = this.#listen();
  }

  /** Resolves when it listens for the first time. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  /** Never rejects. */
  async #listen(): Promise<void> {
    let failures = 0;
    let listenedBefore = false;
    while (!this.#stop.signal.aborted) {
      const client = this.#client();
      const gone = new Promise<void>((resolve) => client.once("end", resolve).once("error", () => resolve()));
      try {
        await client.connect();
        await client.query(this.#options.channels.map((channel) => `LISTEN ${quoted(channel)}`).join("; "));
        await this.#beat(client);
        failures = 0;
        this.#ready.resolve();
        if (listenedBefore) this.#options.onGap();
        listenedBefore = true;
        await this.#stay(client, gone);
      } catch {
        // Connect again, whatever it was. Those who need the database now report the failure themselves.
      }
      client.end().catch(() => {}); // It is not used again either way.
      const waitMs = backoffMs(++failures, RECONNECT);
      await pause(waitMs, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {}); // Closed meanwhile.
    }
  }

  #client(): Client {
    const { url, channels, onNotification } = this.#options;
    const client = new Client({
      connectionString: url,
      application_name: "tackle instance",
      connectionTimeoutMillis: SILENCE_MS,
      query_timeout: SILENCE_MS,
      keepAlive: true,
    });
    client.on("error", () => {}); // `gone` handles it; without a listener it would end the process.
    client.on("notification", (message) => {
      const notification = channels.includes(message.channel)
        ? decodeNotification(message.payload)
        : undefined;
      if (notification) onNotification(notification, message.channel);
    });
    return client;
  }

  async #beat(client: Client): Promise<void> {
    const { rows } = await client.query<{ former: boolean }>(FORMER);
    this.#options.onFormer?.(rows[0]?.former === true);
  }

  /** Resolves when this is closed or the connection is lost, which the next heartbeat notices at the latest. */
  async #stay(client: Client, gone: Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted) return; // It was closed while it connected: the event has passed.
    const stopped = new Promise<"stopped">((resolve) =>
      signal.addEventListener("abort", () => resolve("stopped"), { once: true }),
    );
    const lost = gone.then(() => "lost" as const);
    for (;;) {
      const beat = new AbortController();
      const due = pause(HEARTBEAT_MS, "due" as const, { signal: beat.signal, ref: false }).catch(
        () => "due" as const,
      );
      const why = await Promise.race([lost, stopped, due]);
      beat.abort();
      if (why !== "due") return;
      await this.#beat(client);
    }
  }
}
