import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "./testing/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.server.close());

describe("a compressed body", () => {
  const send = (body: Uint8Array<ArrayBuffer>, coding: string) =>
    fetch(`${app.url}/chat`, { method: "POST", body, headers: { "content-encoding": coding } });
  const message = (text: string) => JSON.stringify({ message: text, stream: false });

  test.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["ZSTD", zstdCompressSync],
  ])("is read as what it stands for: %s", async (coding, compress) => {
    // A body above 1 MB is parsed elsewhere.
    for (const text of ["Hi", "x".repeat(90_000), `Hi${" ".repeat(2_000_000)}`]) {
      const body = message(text.trim()) + " ".repeat(text.length);
      const response = await send(Buffer.from(compress(body)), coding);
      expect(response.status).toBe(200);
      expect(app.sends.at(-1)?.request).toMatchObject({ message: text.trim() });
    }
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ])("counts with the size of what it stands for: %s", async (coding, compress) => {
    const body = Buffer.from(compress(message(" ".repeat(5 * 1024 * 1024))));
    expect(body.length).toBeLessThan(10_000);
    const response = await send(body, coding);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: "TOO_LARGE" });
  });

  test("that was cut, is something else, or is compressed in another way is refused with what to do", async () => {
    const whole = Buffer.from(gzipSync(message("Hi")));
    const answers = [
      [whole.subarray(0, 20), "gzip", "The body is not valid gzip, which its Content-Encoding names."],
      [Buffer.from(message("Hi")), "zstd", "The body is not valid zstd, which its Content-Encoding names."],
      [
        whole,
        "compress",
        "The body is compressed (Content-Encoding: compress). Send it as gzip, deflate, br or zstd, or uncompressed.",
      ],
    ] as const;
    for (const [body, coding, error] of answers) {
      const response = await send(body, coding);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error });
    }
  });
});
