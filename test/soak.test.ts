import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { startUpstream, type Upstream } from "../src/sim/upstream.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { postChat } from "./support/sse.ts";

const folder = temporaryFolder();
let upstream: Upstream;
let server: ServerProcess;

beforeAll(async () => {
  let asked = 0;
  upstream = await startUpstream({
    record: false,
    respond: () =>
      ++asked % 2 === 1
        ? chatTurn({ calls: [{ name: "get_time", arguments: {} }] })
        : chatTurn({ text: "It is late." }),
  });
  server = await startServer(folder.path, modelAt(upstream.url));
});
afterAll(async () => {
  await server.stop();
  await upstream.close();
  folder.remove();
});

/** Resident memory in MB, of a process of its own: the least of a few looks, because it rises until garbage is collected. */
async function memory(): Promise<number> {
  const looks: number[] = [];
  for (let look = 0; look < 5; look++) {
    await turns(20);
    const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
    looks.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  }
  return Math.min(...looks);
}

/** Sockets and files that the process holds open. */
async function openHandles(): Promise<number> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^process_open_fds (\d+)/m.exec(metrics)?.[1]);
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    const response = await postChat(server.url, { message: `turn ${turn}`, stream: false });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
}

it.skipIf(process.platform !== "linux")(
  "stays the same size over a thousand turns, and leaves nothing open",
  async () => {
    // By then everything that is begun only once it is needed has begun.
    await turns(250);
    const before = await memory();
    const handles = await openHandles();
    await turns(650);
    expect(await memory()).toBeLessThan(before * 1.2);
    expect(await openHandles()).toBeLessThanOrEqual(handles + 2);
  },
  240_000,
);
