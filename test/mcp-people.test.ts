import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ProtectedServer, startProtectedServer } from "../src/tools/mcp/testing/protected-server.ts";
import { ask, bearer, call, signUp, type TestAccount } from "./support/accounts.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

interface Listed {
  servers: { name: string; state: string; tools: number; authorizeUrl?: string }[];
}

const folder = temporaryFolder();
const dataDir = join(folder.path, "data");
let vault: ProtectedServer;
let server: ServerProcess;
let ada: TestAccount;
let eve: TestAccount;

beforeAll(async () => {
  mkdirSync(dataDir);
  vault = await startProtectedServer();
  writeFileSync(join(dataDir, "mcp.json"), JSON.stringify({ mcpServers: { vault: { url: vault.url } } }));
  server = await startServer(dataDir, { TACKLE_AUTH: "guest" });
  ada = await signUp(server, "ada");
  eve = await signUp(server, "eve");
});
afterAll(async () => {
  await server.stop();
  await vault.close();
  folder.remove();
});

const vaultOf = async ({ token }: TestAccount) =>
  (await ask<Listed>(server, "GET", "/mcp/servers", bearer(token))).servers[0];

const open = ({ token }: TestAccount) => call(server, "POST", "/tools/vault.open", bearer(token), {});

/** What a browser does with the address, up to the callback, which it has not opened yet. */
async function grant({ cookie }: TestAccount, authorizeUrl: string): Promise<string> {
  const sent = await fetch(authorizeUrl, { headers: { cookie }, redirect: "manual" });
  const granted = await fetch(sent.headers.get("location") ?? "", { redirect: "manual" });
  return granted.headers.get("location") ?? "";
}

test("each person authorizes an MCP server for themselves, and nobody uses what another one granted", async () => {
  expect(await vaultOf(ada)).toMatchObject({ state: "unauthorized", tools: 0 });
  const { authorizeUrl = "" } = (await vaultOf(ada)) ?? {};
  expect(authorizeUrl).toBe(`${server.url}/mcp/servers/vault/authorize`);
  // Nobody's address is in the log.
  expect(server.output()).toContain("each person has to authorize it for themselves");
  expect(server.output()).not.toContain("code_challenge");

  // Eve cannot finish what Ada began, so Ada's grant cannot become Eve's.
  const callback = await grant(ada, authorizeUrl);
  expect((await fetch(callback, { headers: { cookie: eve.cookie } })).status).toBe(400);
  expect((await fetch(callback)).status).toBe(400);
  expect((await fetch(callback, { headers: { cookie: ada.cookie } })).status).toBe(200);
  await vi.waitFor(
    async () => expect(await vaultOf(ada)).toMatchObject({ state: "ready", tools: 1, authorized: true }),
    10_000,
  );
  expect(await (await open(ada)).json()).toMatchObject({
    success: true,
    output: expect.stringContaining("open"),
  });

  // Eve sees the tool, but has to authorize it herself. She is told where.
  const refused = await open(eve);
  expect(refused.status).toBe(502);
  expect(await refused.text()).toContain(authorizeUrl);
  const adas = new Set(vault.usedTokens);
  await fetch(await grant(eve, authorizeUrl), { headers: { cookie: eve.cookie } });
  vault.usedTokens.length = 0;
  expect((await open(eve)).status).toBe(200);
  expect(vault.usedTokens.filter((token) => adas.has(token))).toEqual([]);
  expect(vault.usedTokens.length).toBeGreaterThan(0);

  // What is stored is encrypted, and opens for one person only.
  const stored = readdirSync(dataDir, { recursive: true, encoding: "utf8" })
    .filter((path) => path.includes(".db"))
    .map((path) => readFileSync(join(dataDir, path), "latin1"))
    .join();
  expect(stored).toContain("mcp:auth:vault");
  for (const token of [...adas, ...vault.usedTokens])
    expect(stored).not.toContain(token.replace("Bearer ", ""));
});

test("what was granted outlives a restart, until the person takes it back", async () => {
  await server.stop();
  server = await startServer(dataDir, { TACKLE_AUTH: "guest" });
  expect((await open(ada)).status).toBe(200);
  await ask(server, "DELETE", "/mcp/servers/vault/authorization", bearer(ada.token));
  expect((await open(ada)).status).toBe(502);
  expect(await vaultOf(ada)).not.toHaveProperty("authorized");
  expect((await open(eve)).status).toBe(200);
});

test("a stranger who becomes many guests does not push out the sessions of others", async () => {
  const accept = { accept: "application/json, text/event-stream" };
  const begin = {
    ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "a client", version: "1" },
    },
  };
  const start = async (who: Record<string, string>) => {
    const answer = await call(server, "POST", "/mcp", { ...who, ...accept }, begin);
    await answer.text();
    return answer.headers.get("mcp-session-id") ?? "";
  };
  const mine = { ...bearer(ada.token), ...accept };
  const session = { ...mine, "mcp-session-id": await start(mine) };
  for (let guest = 0; guest < 21; guest++) {
    const token = (await call(server, "GET", "/tools")).headers.get("x-tackle-guest") ?? "";
    await Promise.all(Array.from({ length: 50 }, () => start(bearer(token))));
  }
  const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
  expect((await call(server, "POST", "/mcp", session, ping)).status).toBe(200);
});
