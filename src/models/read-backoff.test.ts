import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type Rest, restWhileBusy } from "./read-backoff.ts";
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

/** Reads an answer to its end over connections that rest so long after each read. */
async function read(url: string, rest: Rest): Promise<string> {
  const transport = createTransport({ rest });
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

async function sayWords(response: ServerResponse): Promise<void> {
  for (const word of WORDS) {
    response.write(word);
    await pause(5);
  }
  response.end();
}

/** How often a connection is read that rests so long. */
async function readsWith(restMs: number): Promise<number> {
  let reads = 0;
  const text = await read(await serve(sayWords), () => {
    reads++;
    return restMs;
  });
  expect(text).toBe(WORDS.join(""));
  return reads;
}

test("what trickles in while a connection rests is taken together, and nothing is lost", async () => {
  const [eager, rested] = [await readsWith(0), await readsWith(60)];
  expect(eager).toBeGreaterThanOrEqual(15);
  expect(rested).toBeLessThanOrEqual(eager / 2);
});

test("whoever sends much at once is not held up", async () => {
  const megabyte = "x".repeat(1_000_000);
  const url = await serve(async (response) => void response.end(megabyte));
  const begun = performance.now();
  expect(await read(url, () => 10_000)).toBe(megabyte);
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test("an end and a broken line are noticed after the rest", async () => {
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

test("a connection serves again after it has rested", async () => {
  const connections = new Set<unknown>();
  const url = await serve(async (response) => {
    connections.add(response.socket);
    response.end("short");
  });
  const transport = createTransport({ rest: () => 20 });
  closing.push(() => transport.close());
  for (let turn = 0; turn < 3; turn++) {
    expect(await readWith(transport, url)).toBe("short");
    await pause(40);
  }
  expect(connections.size).toBe(1);
});

test("connections rest only while this thread is busy", async () => {
  const rest = restWhileBusy();
  await pause(250);
  expect(rest()).toBe(0);
  const until = performance.now() + 250;
  while (performance.now() < until) Math.sqrt(until);
  expect(rest()).toBeGreaterThan(0);
  await pause(250);
  expect(rest()).toBe(0);
});
