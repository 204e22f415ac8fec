import { Client, SSEClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const folder = temporaryFolder();
let server: ServerProcess;
beforeAll(async () => {
  server = await startServer(folder.path);
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

async function connect(): Promise<Client> {
  const client = new Client({ name: "old", version: "1" });
  await client.connect(new SSEClientTransport(new URL(`${server.url}/mcp/sse`)));
  return client;
}

it("serves clients of MCP's older transport, several at once", async () => {
  const clients = await Promise.all([connect(), connect()]);
  for (const client of clients) {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("get_time");
    const result = await client.callTool({ name: "get_time", arguments: { timeZone: "Asia/Tokyo" } });
    expect(JSON.stringify(result.content)).toContain("Asia/Tokyo");
    await client.close();
  }
});

it("ends a session with its stream, and refuses messages without one", async () => {
  const stop = new AbortController();
  const { body } = await fetch(`${server.url}/mcp/sse`, { signal: stop.signal });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = (await reader?.read()) ?? {};
  const address = /^event: endpoint\ndata: (\S+)\n\n$/.exec(value)?.[1] ?? "";
  const send = async (message: unknown, to = address) => {
    const response = await fetch(new URL(to, server.url), { method: "POST", body: JSON.stringify(message) });
    return response.status;
  };
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  expect(await send(ping)).toBe(202);
  const answer = (await reader?.read())?.value ?? "";
  expect(answer).toMatch(/^event: message\ndata: .+\n\n$/);
  expect(JSON.parse(answer.slice(answer.indexOf("{")))).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  expect(await send({ hello: "world" })).toBe(400);
  expect(await send(ping, "/mcp/sse?sessionId=guessed")).toBe(404);
  stop.abort();
  await vi.waitFor(async () => expect(await send(ping)).toBe(404));
});

it("keeps strangers from pushing out the streams of others", async () => {
  const open = await startServer(`${folder.path}/guests`, { TACKLE_AUTH: "guest" });
  const stop = new AbortController();
  try {
    // All are kept: the stream of a response that nobody holds is closed once it is collected.
    const responses: Response[] = [];
    for (let guest = 0; guest < 5; guest++) {
      const token = (await fetch(`${open.url}/tools`)).headers.get("x-tackle-guest");
      const headers = { authorization: `Bearer ${token}` };
      const streams = Array.from({ length: 49 }, () =>
        fetch(`${open.url}/mcp/sse`, { headers, signal: stop.signal }),
      );
      responses.push(...(await Promise.all(streams)));
    }
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(200);
    expect(statuses.at(-1)).toBe(429);
  } finally {
    stop.abort();
    await open.stop();
  }
});
