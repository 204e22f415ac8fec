import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type JetStreamManager, jetstreamManager, type StreamInfo } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { freePort } from "./free-port.ts";
import { type Relay, startRelay } from "./relay.ts";

/** One server of a cluster. */
export interface NatsNode {
  name: string;
  /** `kill` ends it without a word, `freeze` lets it hold its connections and say nothing. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Lets nothing through between it and the other nodes. Its clients still reach it. */
  cutOff(): void;
  reconnect(): void;
  /** Starts it again with what is in its folder. */
  start(): Promise<void>;
  readonly isRunning: boolean;
  /** The id of its process, while it runs. */
  readonly pid: number | undefined;
}

/** A private NATS cluster for tests. */
export interface NatsServers {
  /** The addresses of all nodes, for `TACKLE_JOURNAL_URL`. */
  url: string;
  nodes: readonly NatsNode[];
  /** Deletes all streams. */
  forget(): Promise<void>;
  /** Deletes all messages. A stream that takes the name of one just deleted may find no leader for a minute. */
  empty(): Promise<void>;
  /** Returns the name of the node that leads a stream. */
  leaderOf(stream: string): Promise<string | undefined>;
  /** Returns all messages, stream by stream. */
  messages(): Promise<{ subject: string; text: string }[]>;
  /** Returns true if every stream has a leader, and all its replicas have what it has. */
  isWhole(): Promise<boolean>;
  /** Returns the names of all streams. */
  streams(): Promise<string[]>;
  dispose(): Promise<void>;
}

const PROGRAM = "nats-server";
const MAX_TRIES = 200;

/** Returns whether the server is installed. Without it tests are skipped with a line, and fail in CI. */
export function hasNats(): boolean {
  if (spawnSync(PROGRAM, ["--version"]).status === 0) return true;
  if (process.env.CI) throw new Error("nats-server is not installed, and CI must not skip its tests");
  console.warn("nats-server is not installed: its tests are skipped");
  return false;
}

/** Starts a cluster of this many nodes on the loopback interface. All traffic between two nodes goes through a relay. */
export async function startNats(size = 3): Promise<NatsServers> {
  const folder = mkdtempSync(join(tmpdir(), "tackle-nats-"));
  const ports = await Promise.all(Array.from({ length: size }, freePort));
  const routePorts = await Promise.all(Array.from({ length: size }, freePort));
  // One for each direction: JetStream counts the routes of a node to know how many nodes there are.
  const relays: { between: [from: number, to: number]; relay: Relay }[] = [];
  for (const [to, port] of routePorts.entries())
    for (const from of routePorts.keys())
      if (from !== to) relays.push({ between: [from, to], relay: await startRelay(port) });
  const nodes = ports.map((port, index) =>
    createNode(folder, index, {
      port,
      routePort: size > 1 ? routePorts[index] : undefined,
      routes: relays.filter(({ between }) => between[0] === index).map(({ relay }) => relay.port),
      relays: relays.filter(({ between }) => between.includes(index)).map(({ relay }) => relay),
    }),
  );
  const servers = ports.map((port) => `127.0.0.1:${port}`);
  const killAll = () => {
    for (const node of nodes) void node.kill();
  };
  process.on("exit", killAll);

  /** Repeats the question while the nodes choose a leader. */
  async function asked<Result>(ask: (manager: JetStreamManager) => Promise<Result>): Promise<Result> {
    for (let tries = 0; ; tries++) {
      const connection = await connect({ servers, timeout: 5_000 }).catch(() => undefined);
      try {
        if (connection) return await ask(await jetstreamManager(connection, { timeout: 5_000 }));
      } catch (error) {
        if (tries === MAX_TRIES) throw error;
      } finally {
        await connection?.close();
      }
      await pause(100);
    }
  }

  async function names(): Promise<string[]> {
    return asked(async (manager) => {
      const found: string[] = [];
      for await (const name of manager.streams.names()) found.push(name);
      return found;
    });
  }

  await Promise.all(nodes.map((node) => node.start()));
  await asked((manager) => manager.getAccountInfo());
  return {
    url: `nats://${servers.join(",")}`,
    nodes,
    streams: names,
    forget: () =>
      asked(async (manager) => {
        for await (const name of manager.streams.names()) await manager.streams.delete(name);
      }),
    empty: () =>
      asked(async (manager) => {
        for await (const name of manager.streams.names()) await manager.streams.purge(name);
      }),
    messages: () =>
      asked(async (manager) => {
        const found: { subject: string; text: string }[] = [];
        for (const { config, state } of await infos(manager))
          for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
            const message = await manager.streams.getMessage(config.name, { seq });
            if (message) found.push({ subject: message.subject, text: message.string() });
          }
        return found;
      }),
    isWhole: () =>
      asked(async (manager) =>
        (await infos(manager)).every(
          ({ cluster }) =>
            size === 1 || (cluster?.leader && cluster.replicas?.every(({ current }) => current)),
        ),
      ),
    leaderOf: (stream) => asked(async (manager) => (await manager.streams.info(stream)).cluster?.leader),
    async dispose() {
      process.off("exit", killAll);
      await Promise.all(nodes.map((node) => node.kill()));
      for (const { relay } of relays) relay.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface NodeOptions {
  port: number;
  routePort: number | undefined;
  /** The ports through which it connects to other nodes. */
  routes: readonly number[];
  /** Everything between it and other nodes. */
  relays: readonly Relay[];
}

/** Asks the leader of each stream. A list of all streams would leave out those that have none right now. */
async function infos(manager: JetStreamManager): Promise<StreamInfo[]> {
  const found: StreamInfo[] = [];
  for await (const name of manager.streams.names()) {
    const info = await manager.streams.info(name);
    // A node that is left alone answers too, with what it happens to have.
    if (info.config.num_replicas > 1 && !info.cluster?.leader) throw new Error(`${name} has no leader`);
    found.push(info);
  }
  return found;
}

function createNode(
  folder: string,
  index: number,
  { port, routePort, routes, relays }: NodeOptions,
): NatsNode {
  const name = `node-${index + 1}`;
  const config = join(folder, `${name}.conf`);
  const others = JSON.stringify(routes.map((route) => `nats-route://127.0.0.1:${route}`));
  const lines = [
    `server_name: ${name}`,
    `listen: "127.0.0.1:${port}"`,
    `jetstream { store_dir: "${join(folder, name)}", max_memory_store: 64M, max_file_store: 4G }`,
  ];
  // Nodes tell each other their addresses. Nobody listens on this one, so they connect through relays only.
  if (routePort !== undefined)
    lines.push(
      `cluster { name: tests, listen: "127.0.0.1:${routePort}", advertise: "127.0.0.1:9", routes: ${others} }`,
    );
  writeFileSync(config, `${lines.join("\n")}\n`);
  let server: ChildProcess | undefined;
  const isRunning = () => server !== undefined && server.exitCode === null && server.signalCode === null;
  return {
    name,
    get isRunning() {
      return isRunning();
    },
    get pid() {
      return isRunning() ? server?.pid : undefined;
    },
    async start() {
      if (isRunning()) return;
      server = spawn(PROGRAM, ["-c", config], { stdio: "ignore" });
    },
    async kill() {
      if (!server || !isRunning()) return;
      const exited = once(server, "exit");
      server.kill("SIGKILL");
      await exited;
    },
    freeze: () => void server?.kill("SIGSTOP"),
    thaw: () => void server?.kill("SIGCONT"),
    cutOff() {
      for (const relay of relays) relay.hold();
    },
    reconnect() {
      for (const relay of relays) relay.mend();
    },
  };
}
