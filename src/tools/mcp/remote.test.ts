import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startProtectedServer, toRequest } from "./testing/protected-server.ts";
import { EVERYTHING, NODE, type Started, startServers } from "./testing/servers.ts";

const OWNER = { id: "local", kind: "owner" } as const;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(...given: Parameters<typeof startServers>): Promise<Started> {
  const started = await startServers(...given);
  closers.push(() => started.close());
  return started;
}

/** The official server over HTTP, in its own process. */
async function everythingOver(kind: "streamableHttp" | "sse", port: number): Promise<ChildProcess> {
  const child = spawn(NODE, [EVERYTHING, kind], {
    env: { PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  closers.push(() => end(child));
  await vi.waitFor(() => isListening(port));
  return child;
}

async function isListening(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("the official server over HTTP", () => {
  it("is called, shows its progress, and counts as a network or write effect", async () => {
    const port = await freePort();
    await everythingOver("streamableHttp", port);
    const { call, tool, mcp } = await start({ web: { url: `http://127.0.0.1:${port}/mcp`, trust: true } });
    expect(mcp.status()).toMatchObject([{ state: "ready" }]);
    expect((await call("web.echo", { message: "over HTTP" })).output).toBe("Echo: over HTTP");
    const shown: unknown[] = [];
    const args = { duration: 0.3, steps: 3 };
    await call("web.trigger-long-running-operation", args, { progress: (one) => shown.push(one) });
    expect(shown[0]).toMatchObject({ message: "Step 1 of 3" });
    // The call leaves this machine, whatever the server claims.
    expect(["network", "write"]).toContain(tool("web.echo").effect);
  });

  it("is called in a new session after it was restarted", async () => {
    const port = await freePort();
    const first = await everythingOver("streamableHttp", port);
    const { call } = await start({ web: { url: `http://127.0.0.1:${port}/mcp` } });
    expect((await call("web.echo", { message: "1" })).output).toBe("Echo: 1");
    await end(first);
    await expect(call("web.echo", { message: "2" })).rejects.toMatchObject({ code: "UPSTREAM_ERROR" });
    await everythingOver("streamableHttp", port);
    await vi.waitFor(async () => {
      expect((await call("web.echo", { message: "3" })).output).toBe("Echo: 3");
    });
  });

  it("is found in the older SSE form too, with or without a type", async () => {
    const port = await freePort();
    await everythingOver("sse", port);
    const url = `http://127.0.0.1:${port}/sse`;
    const { call } = await start({ named: { type: "sse", url }, found: { url } });
    expect((await call("named.echo", { message: "old" })).output).toBe("Echo: old");
    expect((await call("found.echo", { message: "older" })).output).toBe("Echo: older");
  });
});

describe("a server that supports only the 2026 handshake", () => {
  it("is connected, and cancelled by closing the stream of the call", async () => {
    const aborted = Promise.withResolvers<void>();
    const handler = createMcpHandler(
      () => {
        const server = new Server({ name: "new", version: "1" }, { capabilities: { tools: {} } });
        const tool = (name: string) => ({
          name,
          description: "New.",
          inputSchema: { type: "object" as const },
        });
        server.setRequestHandler("tools/list", () => ({ tools: [tool("hello"), tool("hang")] }));
        server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
          if (params.name === "hello") return { content: [{ type: "text", text: "hello" }] };
          mcpReq.signal.addEventListener("abort", () => aborted.resolve());
          return new Promise(() => {});
        });
        return server;
      },
      { legacy: "reject" },
    );
    closers.push(() => handler.close());
    const url = await listen(async (incoming, outgoing) => {
      const gone = new AbortController();
      outgoing.once("close", () => gone.abort());
      const response = await handler
        .fetch(await toRequest(incoming, `http://${incoming.headers.host}`, gone.signal))
        .catch(() => undefined);
      if (!response) return;
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    });
    const { call } = await start({ new: { url: `${url}/mcp` } });
    expect((await call("new.hello")).output).toBe("hello");
    const stop = new AbortController();
    const hanging = call("new.hang", {}, { signal: stop.signal });
    await call("new.hello");
    stop.abort();
    await expect(hanging).rejects.toThrow();
    await aborted.promise;
  });
});

describe("a server that requires authorization", () => {
  async function authorized() {
    const server = await startProtectedServer();
    closers.push(() => server.close());
    const started = await start({ vault: { url: server.url } });
    return { server, ...started };
  }

  /** Does what a browser does with the URL: it is authorized and sent back to us. */
  async function authorize(address: string): Promise<URL> {
    const answer = await fetch(address, { redirect: "manual" });
    return new URL(answer.headers.get("location") ?? "");
  }

  const addressIn = (detail: string | undefined) => /https?:\S+/.exec(detail ?? "")?.[0] ?? "";

  it("waits for a person, then works, and needs no person after a restart", async () => {
    const { server, mcp, registry, problems, call, folder } = await authorized();
    expect(mcp.status()).toMatchObject([{ state: "unauthorized" }]);
    expect(problems.join()).toContain("start tackle serve");
    mcp.listensAt("http://127.0.0.1:8787");
    await vi.waitFor(() => expect(addressIn(mcp.status()[0]?.detail)).not.toBe(""));
    const back = await authorize(addressIn(mcp.status()[0]?.detail));
    expect(`${back.origin}${back.pathname}`).toBe("http://127.0.0.1:8787/mcp/oauth/callback");
    expect(await mcp.finishAuthorization(OWNER, back.searchParams)).toBe("vault");
    expect(mcp.status()).toMatchObject([{ state: "ready", tools: 1 }]);
    expect((await call("vault.open")).output).toBe("open");
    expect(registry.get("vault.open")).toBeDefined();

    const [file = ""] = readdirSync(join(folder, "mcp-auth"));
    expect(statSync(join(folder, "mcp-auth", file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, "mcp-auth", file), "utf8")).toContain("access_token");

    server.expireTokens(); // Only the refresh token is left.
    expect((await call("vault.open")).output).toBe("open");
    await mcp.close();
    const again = await start({ vault: { url: server.url } }, { folder });
    expect(again.mcp.status()).toMatchObject([{ state: "ready" }]);
    // An entry that points elsewhere now sends no token.
    const elsewhere: (string | undefined)[] = [];
    const other = await listen((request, response) => {
      elsewhere.push(request.headers.authorization);
      response.writeHead(404).end();
    });
    await again.mcp.close();
    await start({ vault: { url: `${other}/mcp` } }, { folder });
    expect(elsewhere.length).toBeGreaterThan(0);
    expect(elsewhere.every((header) => header === undefined)).toBe(true);
  });

  it("accepts no code with an unknown state, and no code twice", async () => {
    const { mcp } = await authorized();
    mcp.listensAt("http://127.0.0.1:8787");
    await vi.waitFor(() => expect(addressIn(mcp.status()[0]?.detail)).not.toBe(""));
    const back = await authorize(addressIn(mcp.status()[0]?.detail));
    const forged = new URLSearchParams(back.searchParams);
    forged.set("state", "x".repeat(43));
    await expect(mcp.finishAuthorization(OWNER, forged)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(mcp.finishAuthorization(OWNER, new URLSearchParams({ code: "x" }))).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    await mcp.finishAuthorization(OWNER, back.searchParams);
    await expect(mcp.finishAuthorization(OWNER, back.searchParams)).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
  });

  it("cannot send us to an authorization URL inside our network", async () => {
    const inside: string[] = [];
    const secret = await listen((request, response) => {
      inside.push(request.url ?? "");
      response.writeHead(200).end("{}");
    });
    // The same host under another name: only the name that the operator wrote may be used on other ports.
    const elsewhere = secret.replace("127.0.0.1", "localhost");
    const url = await listen((request, response) => {
      const origin = `http://${request.headers.host}`;
      if (request.url?.startsWith("/.well-known/oauth-protected-resource"))
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [elsewhere] }));
      else
        response
          .writeHead(401, {
            "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource"`,
          })
          .end();
    });
    const { mcp } = await start({ evil: { url: `${url}/mcp` } });
    mcp.listensAt("http://127.0.0.1:8787");
    await vi.waitFor(() => expect(mcp.status()[0]?.state).toBe("waiting"));
    expect(inside).toEqual([]);
  });
});

describe("a hostile server over HTTP", () => {
  it.each(["http", "sse"] as const)(
    "cannot redirect us elsewhere, neither from its own URL nor from its authorization metadata (%s)",
    async (type) => {
      const reached: string[] = [];
      const inside = await listen((request, response) => {
        reached.push(`${request.method} ${request.url} ${request.headers["x-key"]}`);
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
      const asked: string[] = [];
      const url = await listen((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        if (request.url?.startsWith("/.well-known/")) {
          response.writeHead(302, { location: `${inside}/metadata` }).end();
          return;
        }
        if (request.method === "GET") response.writeHead(302, { location: `${inside}/stream` }).end();
        else response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      });
      const { mcp } = await start({ evil: { url: `${url}/mcp`, type, headers: { "x-key": "secret" } } });
      mcp.listensAt("http://127.0.0.1:8787");
      await vi.waitFor(() => expect(mcp.status()[0]?.state).toBe("waiting"));
      expect(asked.length).toBeGreaterThan(0);
      expect(reached).toEqual([]);
    },
  );

  it("cannot fill our memory with one message, and cannot redirect us to another host", async () => {
    const elsewhere: string[] = [];
    const other = await listen((request, response) => {
      elsewhere.push(request.headers["x-key"] as string);
      response.writeHead(200).end();
    });
    let sent = 0;
    const endless = await listen((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const write = () => {
        while (sent < 200_000_000 && !response.destroyed) {
          sent += 1_000_000;
          if (!response.write("x".repeat(1_000_000))) return response.once("drain", write);
        }
        return response.end();
      };
      write();
    });
    const redirecting = await listen((_request, response) =>
      response.writeHead(307, { location: other }).end(),
    );
    const servers = {
      endless: { url: `${endless}/mcp` },
      redirecting: { url: `${redirecting}/mcp`, headers: { "x-key": "secret" } },
    };
    const { mcp } = await start(servers, { backoff: { firstMs: 60_000 } });
    expect(mcp.status()).toMatchObject([{ state: "waiting" }, { state: "waiting" }]);
    expect(sent).toBeLessThan(50_000_000);
    expect(elsewhere).toEqual([]);
  });
});
