import { createServer } from "node:http";
import { type AddressInfo, createServer as createSilentServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createTackle, type EmbeddedTackle } from "./embed.ts";
import { reachAll } from "./reach.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function listening(server: ReturnType<typeof createSilentServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function start(settings: Record<string, string>): Promise<EmbeddedTackle> {
  const tackle = await createTackle({ dataDir: ":memory:", settings: { TACKLE_LOG: "silent", ...settings } });
  closers.unshift(() => tackle.close());
  return tackle;
}

test("what is configured is reached out to, and each dead address is named within five seconds", async () => {
  const keys: (string | undefined)[] = [];
  const vendor = createServer((request, response) => {
    keys.push(request.headers.authorization);
    response.writeHead(request.headers.authorization === "Bearer good" ? 200 : 401).end("{}");
  });
  const silent = createSilentServer();
  const [alive, hanging] = [await listening(vendor), await listening(silent)];
  closers.push(
    () => vendor.close(),
    () => silent.close(),
  );
  const tackle = await start({
    OPENAI_API_KEY: "good",
    OPENAI_BASE_URL: `${alive}/v1`,
    ZAI_API_KEY: "revoked",
    ZAI_BASE_URL: alive,
    OPENROUTER_API_KEY: "good",
    OPENROUTER_BASE_URL: "http://127.0.0.1:9/v1",
    TAVILY_API_KEY: "private",
    TAVILY_BASE_URL: hanging,
    SEARXNG_BASE_URL: alive,
    S3_ENDPOINT: hanging,
    S3_BUCKET: "files",
    S3_ACCESS_KEY_ID: "key",
    S3_SECRET_ACCESS_KEY: "secret",
  });
  const began = performance.now();
  const found = await reachAll(tackle.internals);
  expect(performance.now() - began).toBeLessThan(5_000);
  expect(Object.fromEntries(found.map(({ name, detail }) => [name, detail]))).toEqual({
    S3: "not reachable",
    OpenAI: "reachable",
    "Z.ai": "the key was refused",
    OpenRouter: "not reachable",
    "Search: Tavily": "not reachable",
    "Search: SearXNG": "reachable",
  });
  expect(found.filter(({ ok }) => !ok).every(({ fix }) => fix?.startsWith("Check "))).toBe(true);
  expect(keys.join()).not.toContain("private");
});

test("nothing is asked if nothing is configured", async () => {
  const tackle = await start({ OLLAMA_BASE_URL: "" });
  expect(await reachAll(tackle.internals)).toEqual([]);
});

test("vendors are looked for through the proxy that is set, and a proxy that refuses is named", async () => {
  const proxy = createServer((_, response) => response.end("{}"));
  proxy.on("connect", (_, socket) => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
  const address = await listening(proxy);
  closers.push(() => proxy.close());
  const tackle = await start({
    HTTPS_PROXY: address,
    HTTP_PROXY: address,
    OPENAI_API_KEY: "good",
    OPENAI_BASE_URL: "http://openai.invalid/v1",
    ZAI_API_KEY: "good",
    ZAI_BASE_URL: "https://zai.invalid",
    OLLAMA_BASE_URL: "",
  });
  expect(await reachAll(tackle.internals)).toEqual([
    { name: "OpenAI", ok: true, detail: "reachable" },
    { name: "Z.ai", ok: false, detail: "not reachable", fix: expect.stringContaining("HTTPS_PROXY") },
  ]);
});
