import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import {
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { backoffMs } from "../../protocol/abortable.ts";
import { Failure } from "../../protocol/failure.ts";
import { isTaken } from "./failures.ts";
import { streamName, subjectsOf } from "./subjects.ts";

export interface ClusterOptions {
  /** `nats://host:port,host:port`, with `?streams=` and `?replicas=` for streams that are created. */
  url: string;
  /** The part of all names that belongs to this installation. */
  name: string;
  /** Is told what an operator should know. */
  warn(line: string): void;
  /** For how long opening is repeated while the cluster does not answer. */
  patienceMs?: number;
}

/** The connection to a cluster whose streams are there. */
export interface NatsCluster {
  connection: NatsConnection;
  /** Call this if a request was not answered: this process may be connected to a node that is cut off from the others. */
  unanswered(): void;
  client: JetStreamClient;
  manager: JetStreamManager;
  name: string;
  streams: number;
  /** When the first stream was created, which only this cluster can know. */
  createdAt: string;
  /** Marks the messages of this process. */
  origin: string;
}

const STREAMS = 4;
const REPLICAS = 3;
/** How long a request to the cluster may take. */
const REQUEST_MS = 5_000;
const PATIENCE_MS = 60_000;
const ELECTION_MS = 6_000;
const RETRY = { firstMs: 250, maxMs: 5_000 };

/** Connects to the cluster and creates its streams if they are missing. Repeats both until they work, and says so. */
export async function openCluster(options: ClusterOptions): Promise<NatsCluster> {
  const { url, name, warn, patienceMs = PATIENCE_MS } = options;
  const settings = readUrl(url);
  const connection = await patiently("The journal at TACKLE_JOURNAL_URL cannot be reached", () =>
    connect({
      servers: settings.servers,
      name: "tackle",
      ...settings.credentials,
      // For as long as it takes: requests time out by themselves.
      maxReconnectAttempts: -1,
      reconnectTimeWait: 200,
      reconnectJitter: 200,
      pingInterval: 5_000,
      timeout: REQUEST_MS,
      ignoreAuthErrorAbort: true,
    }),
  );
  try {
    const manager = await patiently("The journal has no JetStream that answers", () =>
      jetstreamManager(connection, { timeout: REQUEST_MS }),
    );
    const replicas = settings.replicas ?? (connection.info?.cluster ? REPLICAS : 1);
    if (replicas < REPLICAS)
      warn(
        `the journal keeps ${replicas} of 3 copies: what a lost disk takes is gone until there are three nodes`,
      );
    const wanted = settings.streams ?? STREAMS;
    const create = (number: number, count: number) =>
      patiently(`Stream ${number} of the journal cannot be created with ${replicas} replicas`, () =>
        ensureStream(manager, streamConfig(name, number, count, replicas)),
      );
    // The first stream tells how many there are, so that instances with other settings agree.
    const { streams, createdAt } = await create(0, wanted);
    for (let number = 1; number < streams; number++) await create(number, streams);
    const client = jetstream(connection, { timeout: REQUEST_MS });
    const origin = randomBytes(6).toString("hex");
    const unanswered = reconnectAfterElection(connection);
    return { connection, manager, client, name, streams, createdAt, origin, unanswered };
  } catch (error) {
    await connection.close();
    throw error;
  }

  async function patiently<Result>(problem: string, attempt: () => Promise<Result>): Promise<Result> {
    const until = performance.now() + patienceMs;
    for (let tries = 1; ; tries++) {
      try {
        return await attempt();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (performance.now() > until)
          throw new Failure("INTERNAL", `${problem}: ${reason}. Check TACKLE_JOURNAL_URL and the cluster.`, {
            cause: error,
          });
        if (tries === 1 || tries % 10 === 0) warn(`${problem}: ${reason}. Trying again.`);
        await pause(backoffMs(tries, RETRY));
      }
    }
  }
}

/** Returns a function that connects to another node when requests fail for longer than an election takes. */
function reconnectAfterElection(connection: NatsConnection): () => void {
  let since: number | undefined;
  let latest = 0;
  return () => {
    const now = performance.now();
    // Failures long ago were something else.
    if (since === undefined || now - latest > 2 * ELECTION_MS) since = now;
    latest = now;
    if (now - since < ELECTION_MS) return;
    since = undefined;
    connection.reconnect().catch(() => undefined); // It is connecting already, or was closed.
  };
}

function streamConfig(
  name: string,
  number: number,
  streams: number,
  replicas: number,
): Partial<StreamConfig> & { name: string } {
  const subjects = subjectsOf(name, number);
  return {
    name: streamName(name, number),
    description: `Events of active runs of Tackle, in ${streams} streams`,
    subjects: [subjects.written],
    num_replicas: replicas,
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    // Never drop what was acknowledged: refuse what is new, also a second message with the same subject.
    discard: DiscardPolicy.New,
    max_msgs_per_subject: 1,
    discard_new_per_subject: true,
    // The server sends on what it has stored, and only to instances that follow the run.
    republish: { src: subjects.written, dest: subjects.live },
  };
}

/** Creates the stream unless it is there. Returns how many streams there are, and since when there is this one. */
async function ensureStream(
  manager: JetStreamManager,
  config: Partial<StreamConfig> & { name: string },
): Promise<{ streams: number; createdAt: string }> {
  const { config: found, created: createdAt } = await manager.streams
    .add(config)
    .catch(async (error: unknown) => {
      if (!isTaken(error)) throw error;
      return manager.streams.info(config.name);
    });
  const streams = Number(/in (\d+) streams/.exec(found.description ?? "")?.[1] ?? STREAMS);
  return { streams, createdAt };
}

function readUrl(url: string) {
  const [addresses = "", query = ""] = url.split("?");
  const parameters = new URLSearchParams(query);
  const number = (name: string) => {
    const value = parameters.get(name);
    return value === null ? undefined : Number(value);
  };
  const secure = addresses.startsWith("tls://");
  const parts = addresses
    .split(",")
    .map((address) => new URL(address.includes("://") ? address : `nats://${address}`));
  const { username = "", password = "" } = parts.find((part) => part.username) ?? {};
  const user = decodeURIComponent(username);
  const pass = decodeURIComponent(password);
  const credentials = pass ? { user, pass } : user ? { token: user } : {};
  return {
    servers: parts.map(({ host }) => host),
    credentials: { ...credentials, ...(secure ? { tls: {} } : {}) },
    streams: number("streams"),
    replicas: number("replicas"),
  };
}
