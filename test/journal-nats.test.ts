import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { delimiter, dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { freePort } from "../src/store/testing/free-port.ts";
import { hasNats } from "../src/store/testing/nats.ts";
import { type Cluster, findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { readYaml } from "./support/deploy.ts";
import { command, type OwnProcess, startOwnServer, temporaryFolder } from "./support/server.ts";
import { postChat, readFrames } from "./support/sse.ts";

const release = findRelease();
const NODES = [0, 1, 2];
const PASSWORD = "the-password-of-nats";
const MOST_MS = 60_000;

/** The nodes of the Compose file, on the loopback interface. */
async function composeNodes(folder: string) {
  const { services } = readYaml<{ services: Record<string, { command: string }> }>("deploy/compose.yaml");
  const ports = await Promise.all(
    NODES.map(async () => ({ client: await freePort(), route: await freePort(), http: await freePort() })),
  );
  const running: (ChildProcess | undefined)[] = [];
  const words = (number: number) =>
    (services[`nats-${number}`]?.command ?? "")
      .replace("--store_dir /data", `--store_dir ${folder}`)
      .replace(/\$\{PASSWORD\}/, PASSWORD)
      .replace("--http_port 8222", `--http_port ${ports[number]?.http}`)
      .replace("0.0.0.0:6222", `127.0.0.1:${ports[number]?.route}`)
      .replace(/nats-(\d):6222/g, (_, other: string) => `127.0.0.1:${ports[Number(other)]?.route}`)
      .split(" ");
  return {
    url: `nats://tackle:${PASSWORD}@${ports.map(({ client }) => `127.0.0.1:${client}`).join(",")}`,
    start(number: number) {
      const address = ["--addr", "127.0.0.1", "--port", String(ports[number]?.client)];
      running[number] = spawn("nats-server", [...words(number), ...address], { stdio: "ignore" });
    },
    /** Resolves when somebody tried to connect to a node that is not there yet. */
    async knockedAt(number: number): Promise<void> {
      const listener = createServer((socket) => socket.destroy()).listen(ports[number]?.client, "127.0.0.1");
      await once(listener, "connection");
      listener.close();
      await once(listener, "close");
    },
    async kill(number: number) {
      const node = running[number];
      if (!node || node.exitCode !== null || node.signalCode !== null) return;
      const exited = once(node, "exit");
      node.kill("SIGKILL");
      await exited;
    },
    /** Asks as the health check of the Compose file does. */
    async isHealthy(number: number): Promise<boolean> {
      const answer = await fetch(`http://127.0.0.1:${ports[number]?.http}/healthz`).catch(() => undefined);
      return answer?.ok === true;
    },
  };
}

describe.skipIf(!release || !hasNats())("a server with its journal on the NATS nodes of deploy/", () => {
  const folder = temporaryFolder();
  let cluster: Cluster;
  let nodes: Awaited<ReturnType<typeof composeNodes>>;
  let server: OwnProcess;
  const env = () => ({ DATABASE_URL: cluster.url, TACKLE_JOURNAL_URL: `${nodes.url}?streams=2` });

  beforeAll(async () => {
    if (!release) return;
    cluster = await startCluster(release);
    nodes = await composeNodes(folder.path);
  });
  afterAll(async () => {
    await server?.kill();
    for (const number of NODES) await nodes?.kill(number);
    await cluster?.dispose();
    folder.remove();
  });
  const deepChecks = async () => {
    const response = await fetch(`${server.url}/readyz?deep=1`);
    return { status: response.status, text: await response.text() };
  };
  const answered = async (message: string) => {
    const frames = await readFrames(await postChat(server.url, { message }));
    return frames.some(({ data }) => data.startsWith('{"type":"done"'));
  };
  const doctor = () => {
    const asked = spawnSync(command, ["doctor", "--data", `${folder.path}/doctor`], {
      env: {
        PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
        HOME: folder.path,
        OLLAMA_BASE_URL: "http://127.0.0.1:9",
        ...env(),
      },
      encoding: "utf8",
      timeout: MOST_MS,
    });
    return asked.stdout;
  };

  it("waits for the cluster at its start and says so, and is ready once the nodes are", async () => {
    const starting = startOwnServer(`${folder.path}/server`, env());
    await nodes.knockedAt(0);
    for (const number of NODES) nodes.start(number);
    server = await starting;
    expect(server.output()).toContain("The journal at TACKLE_JOURNAL_URL cannot be reached");
    expect(server.output()).not.toContain(PASSWORD);
    for (const number of NODES)
      await vi.waitFor(async () => expect(await nodes.isHealthy(number)).toBe(true), MOST_MS);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  it("says in /readyz, /metrics and tackle doctor that the journal works", async () => {
    expect(await answered("Hello")).toBe(true);
    expect(await deepChecks()).toMatchObject({ status: 200, text: expect.stringContaining('"NATS":"ok"') });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^tackle_journal_messages \d+$/m);
    expect(doctor()).toMatch(/NATS.*all streams have a leader/);
  });

  it("says so when too few nodes run, stays up, and goes on when they are back", async () => {
    await nodes.kill(1);
    await nodes.kill(2);
    await vi.waitFor(
      async () => expect((await deepChecks()).text).toContain("a stream of the journal has no leader"),
      { timeout: MOST_MS, interval: 500 },
    );
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    for (const number of [1, 2]) nodes.start(number);
    await vi.waitFor(async () => expect((await deepChecks()).text).toContain('"NATS":"ok"'), {
      timeout: MOST_MS,
      interval: 500,
    });
    expect(await answered("Hello again")).toBe(true);
  });
});
