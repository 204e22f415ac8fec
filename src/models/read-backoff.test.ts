import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { Agent, buildConnector } from "undici";
import { afterEach, expect, test, vi } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { delayWhileBusy, ReadBackoff, type ReadDelay } from "./read-backoff.ts";
import { createTransport } from "./transport.ts";
import type { Transport } from "./wire/transport.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(respond: (response: ServerResponse) => Promise<void>): Promise<string> {
  const server = createServer((_request, response) => void respond(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Reads an answer to its end, with this delay after each read. */
async function read(url: string, readDelay: ReadDelay | false): Promise<string> {
  const transport = createTransport({ readDelay });
  closing.push(() => transport.close());
  return readWith(transport, url);
}

async function readWith(transport: Transport, url: string): Promise<string> {
  const signal = AbortSignal.timeout(20_000);
  const { body } = await transport.send({ method: "POST", url, headers: {}, body: "{}", signal });
  let text = "";
  for await (const packet of body) text += Buffer.from(packet).toString();
  return text;
}

const WORDS = Array.from({ length: 30 }, (_, at) => `word ${at} `);

/** Says words one after another. After each word that begins a group of `together`, waits until `heard` is called. */
function speaker(together: number) {
  let read = Promise.withResolvers<void>();
  return {
    heard: () => read.resolve(),
    async say(response: ServerResponse): Promise<void> {
      for (const [at, word] of WORDS.entries()) {
        response.write(word);
        if (at % together > 0) await pause(2);
        else await read.promise;
        read = Promise.withResolvers();
      }
      response.end();
    },
  };
}

/** Counts the reads of one answer with this delay. During it, the rest of a group of `together` words arrives. */
async function readsWith(delayMs: number, together: number): Promise<number> {
  let reads = 0;
  const { heard, say } = speaker(together);
  const text = await read(await serve(say), () => {
    reads++;
    heard();
    return delayMs;
  });
  expect(text).toBe(WORDS.join(""));
  return reads;
}

test("packets that arrive during the delay are read together, and none is lost", async () => {
  expect(await readsWith(0, 1)).toBeGreaterThanOrEqual(WORDS.length - 2);
  expect(await readsWith(60, 6)).toBeLessThanOrEqual(WORDS.length / 2);
});

test("large reads are not delayed", async () => {
  const megabyte = "x".repeat(1_000_000);
  const url = await serve(async (response) => void response.end(megabyte));
  const begun = performance.now();
  expect(await read(url, () => 10_000)).toBe(megabyte);
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test("the end and a broken connection are noticed after the delay", async () => {
  const ended = await serve(async (response) => {
    response.write("said ");
    await pause(5);
    response.end("and done");
  });
  expect(await read(ended, () => 30)).toBe("said and done");
  const broken = await serve(async (response) => {
    response.write("said ");
    await pause(5);
    (response.socket as Socket).destroy();
  });
  await expect(read(broken, () => 30)).rejects.toThrow();
});

test("a connection is reused after a delayed read", async () => {
  const connections = new Set<unknown>();
  const url = await serve(async (response) => {
    connections.add(response.socket);
    response.end("short");
  });
  const transport = createTransport({ readDelay: () => 20 });
  closing.push(() => transport.close());
  for (let turn = 0; turn < 3; turn++) {
    expect(await readWith(transport, url)).toBe("short");
    await pause(40);
  }
  expect(connections.size).toBe(1);
});

test("an answer begins at once, also right after another one on the same connection", async () => {
  const connections = new Set<unknown>();
  let heard = () => {};
  const url = await serve(async (response) => {
    connections.add(response.socket);
    for (const word of ["the head ", "and ", "its first words "]) {
      response.write(word);
      await new Promise<void>((resolve) => {
        heard = resolve;
      });
    }
    response.end("and the rest");
  });
  // The connection is still paused when the next answer comes.
  const readDelay = () => {
    setImmediate(heard);
    return 600_000;
  };
  const transport = createTransport({ readDelay });
  closing.push(() => transport.close());
  for (let answer = 0; answer < 4; answer++)
    expect(await readWith(transport, url)).toBe("the head and its first words and the rest");
  expect(connections.size).toBeLessThan(4);
});

test("reads are delayed only while this thread is busy", async () => {
  const delay = delayWhileBusy();
  const idle = () => vi.waitFor(() => expect(delay(0)).toBe(0), { timeout: 10_000, interval: 250 });
  await pause(250);
  await idle();
  const until = performance.now() + 250;
  while (performance.now() < until) Math.sqrt(until);
  expect(delay(0)).toBeGreaterThan(0);
  await idle();
});

test("reads are delayed from many packets a second on, until there are clearly fewer", () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  const load = vi.spyOn(performance, "eventLoopUtilization");
  const busy = (utilization: number) => load.mockReturnValue({ utilization, idle: 1, active: 1 });
  busy(0);
  closing.push(async () => {
    clock.mockRestore();
    load.mockRestore();
  });
  const delay = delayWhileBusy();
  let packets = 0;
  /** Two seconds, or so many tenths of one, with this many packets in each second. */
  const after = (perSecond: number, samples = 20, ms = 100) => {
    let found = 0;
    for (let sample = 0; sample < samples; sample++) {
      clock.mockReturnValue(performance.now() + ms);
      packets += (perSecond * ms) / 1_000;
      found = delay(packets);
    }
    return found;
  };
  expect(after(3_000)).toBe(0);
  expect(after(4_000)).toBe(36);
  expect(after(3_000)).toBe(36);
  expect(after(2_400)).toBe(0);
  // A burst is forgotten within half a second.
  expect(after(200_000, 2)).toBe(36);
  expect(after(1_000, 5)).toBe(0);
  // Nothing is sampled while nothing is read.
  expect(after(200_000, 2)).toBe(36);
  expect(after(1, 1, 5_000)).toBe(0);
  busy(0.75);
  expect(after(2_400)).toBeCloseTo(18, 5);
  busy(0.95);
  expect(after(20_000)).toBe(36);
});

test("packets that are read together are counted by themselves", async () => {
  let counted = 0;
  const { heard, say } = speaker(6);
  await read(await serve(say), (packets) => {
    counted = packets;
    heard();
    return 60;
  });
  expect(counted).toBeGreaterThan(WORDS.length * 0.6);
});

test("answers are read without read backoff if it is switched off", async () => {
  const url = await serve(async (response) => void response.end(WORDS.join("")));
  const attach = vi.spyOn(ReadBackoff.prototype, "attach");
  closing.push(async () => attach.mockRestore());
  expect(await read(url, false)).toBe(WORDS.join(""));
  expect(attach).not.toHaveBeenCalled();
  expect(await read(url, () => 0)).toBe(WORDS.join(""));
  expect(attach).toHaveBeenCalledOnce();
});

test("undici passes onread on, and reads at once when a socket becomes readable", async () => {
  const { heard, say } = speaker(1);
  const url = await serve(say);
  const taken: boolean[] = [];
  const connect = buildConnector({
    onread: {
      buffer: Buffer.alloc(65_536),
      callback(this: Socket, size: number, buffer: Buffer): boolean {
        let fresh: Buffer | null = Buffer.from(buffer.subarray(0, size));
        this.read = () => {
          const bytes = fresh;
          fresh = null;
          return bytes;
        };
        this.emit("readable");
        taken.push(fresh === null);
        heard();
        return true;
      },
    },
  } as buildConnector.BuildOptions);
  const agent = new Agent({ connect });
  closing.push(() => agent.destroy());
  const { body } = await agent.request({ origin: url, path: "/", method: "POST" });
  expect(await body.text()).toBe(WORDS.join(""));
  expect(taken.length).toBeGreaterThanOrEqual(WORDS.length - 2);
  expect(taken).not.toContain(false);
});

test("undici is pinned to one version, because read backoff relies on how it reads", () => {
  expect(packageJson.dependencies.undici).toMatch(/^\d+\.\d+\.\d+$/);
});
