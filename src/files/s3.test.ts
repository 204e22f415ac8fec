import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { s3Store } from "./s3.ts";

// Our own server simulates failures of the storage; byte-store.test.ts shows with a real one that it works.

const folder = mkdtempSync(join(tmpdir(), "tackle-s3-"));
const servers: Server[] = [];
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  for (const server of servers.splice(0)) {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
});

interface Asked {
  method: string | undefined;
  path: string | undefined;
  size: number;
}

async function storageThat(
  answer: (response: ServerResponse, request: IncomingMessage, count: number) => void,
) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let size = 0;
    for await (const chunk of request) size += chunk.length;
    asked.push({ method: request.method, path: request.url, size });
    answer(response, request, asked.length);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const store = s3Store({
    endpoint: `http://127.0.0.1:${port}/`,
    bucket: "bucket",
    region: "eu-north-1",
    accessKeyId: "key",
    secretAccessKey: "secret",
    retryMs: 1,
    answerMs: 1_000,
    idleMs: 200,
  });
  return { store, asked };
}

function file(size = 1_000) {
  const bytes = randomBytes(size);
  const path = join(folder, `${randomBytes(8).toString("hex")}.part`);
  writeFileSync(path, bytes);
  return {
    path,
    size: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    mimeType: "x/y",
  };
}

test("a temporary failure is retried, with the whole file each time", async () => {
  const { store, asked } = await storageThat((response, _, count) => {
    response.writeHead([503, 429, 200][count - 1] ?? 500).end();
  });
  const spooled = file();
  await store.keep("file_1", spooled);
  expect(asked).toEqual(Array(3).fill({ method: "PUT", path: "/bucket/file_1", size: 1_000 }));
  expect(existsSync(spooled.path)).toBe(false);
});

test("a permanent failure ends after four attempts, and nothing is left behind", async () => {
  const { store, asked } = await storageThat((response) =>
    response.writeHead(500).end("<Error>secret</Error>"),
  );
  const spooled = file();
  const kept = store.keep("file_1", spooled);
  await expect(kept).rejects.toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
  await expect(kept).rejects.not.toThrow(/secret/);
  expect(asked).toHaveLength(4);
  expect(existsSync(spooled.path)).toBe(false);
});

test("a refusal is not retried", async () => {
  const { store, asked } = await storageThat((response) => response.writeHead(403).end());
  await expect(store.keep("file_1", file())).rejects.toMatchObject({ retryable: false });
  expect(asked).toHaveLength(1);
});

test("a storage that is silent or hangs up is given up in time", async () => {
  const silent = await storageThat(() => {});
  const silence = { code: "UPSTREAM_TIMEOUT", retryable: true, retryAfter: 5 };
  await expect(silent.store.open("file_1")).rejects.toMatchObject(silence);
  await expect(silent.store.keep("file_1", file())).rejects.toMatchObject(silence);
  expect(silent.asked).toHaveLength(2);
  const rude = await storageThat((response) => response.destroy());
  await expect(rude.store.keep("file_1", file())).rejects.toMatchObject({ code: "UPSTREAM_ERROR" });
});

test("a storage that stops taking bytes is given up in time, and one that is slow is not", async () => {
  let pauseMs = Number.POSITIVE_INFINITY;
  const server = createServer((request, response) => {
    request.on("data", () => {
      request.pause();
      if (pauseMs < 1_000) setTimeout(() => request.resume(), pauseMs);
    });
    request.on("end", () => response.end());
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const keys = { bucket: "b", region: "r", accessKeyId: "key", secretAccessKey: "secret" };
  const store = s3Store({ endpoint: `http://127.0.0.1:${port}`, ...keys, answerMs: 1_200 });
  const large = file(32_000_000);
  const before = performance.now();
  await expect(store.keep("file_1", large)).rejects.toMatchObject({
    code: "UPSTREAM_TIMEOUT",
    publicMessage: expect.stringMatching(/not saved/),
  });
  expect(performance.now() - before).toBeLessThan(10_000);
  expect(existsSync(large.path)).toBe(false);
  pauseMs = 5;
  await store.keep("file_1", file(32_000_000));
});

test("a response that stops in the middle ends for its reader too", async () => {
  const { store } = await storageThat((response) => {
    response.writeHead(200, { "content-length": "1000000" }).write(Buffer.alloc(1_000));
  });
  const reading = (async () => {
    let size = 0;
    for await (const chunk of await store.open("file_1")) size += chunk.length;
    return size;
  })();
  await expect(reading).rejects.toMatchObject({ code: "UPSTREAM_ERROR" });
});

test("a redirect is never followed, because the signature is for one place", async () => {
  const { store, asked } = await storageThat((response) => {
    response.writeHead(307, { location: "http://127.0.0.1:1/elsewhere" }).end();
  });
  await expect(store.open("file_1")).rejects.toMatchObject({ code: "UPSTREAM_ERROR" });
  expect(asked.every(({ path }) => path === "/bucket/file_1")).toBe(true);
});

test("an abort ends the wait", async () => {
  const { store, asked } = await storageThat(() => {});
  const stop = new AbortController();
  const keeping = store.keep("file_1", file(), stop.signal);
  await expect.poll(() => asked.length).toBe(1);
  stop.abort();
  await expect(keeping).rejects.toMatchObject({ name: "AbortError" });
});
