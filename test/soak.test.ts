import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { modelAt, type OwnProcess, startOwnServer, temporaryFolder } from "./support/server.ts";
import { postChat } from "./support/sse.ts";

const folder = temporaryFolder();
let upstream: Upstream;
let server: OwnProcess;

beforeAll(async () => {
  let asked = 0;
  upstream = await startUpstream({
    record: false,
    respond: () =>
      ++asked % 2 === 1
        ? chatTurn({ calls: [{ name: "get_time", arguments: {} }] })
        : chatTurn({ text: "It is late." }),
  });
  server = await startOwnServer(folder.path, modelAt(upstream.url));
});
afterAll(async () => {
  await server.stop();
  await upstream.close();
  folder.remove();
});

/** Returns the resident memory of the server in MB: the lowest of several samples, because it grows until garbage is collected. */
async function memory(): Promise<number> {
  const looks: number[] = [];
  for (let look = 0; look < 5; look++) {
    await turns(20);
    const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
    looks.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  }
  return Math.min(...looks);
}

/** Returns the number of sockets and files that the process has open. */
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
  "keeps memory and open handles constant over a thousand turns",
  async () => {
    // After the warm-up, everything that starts lazily has started.
    await turns(250);
    const before = await memory();
    const handles = await openHandles();
    await turns(650);
    expect(await memory()).toBeLessThan(before * 1.2);
    expect(await openHandles()).toBeLessThanOrEqual(handles + 2);
  },
  240_000,
);
