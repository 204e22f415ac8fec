import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

export interface ProtectedServer {
  url: string;
  /** Every request to it: method and path. */
  requests: string[];
  /** The token of every request that was let in. */
  usedTokens: string[];
  /** Invalidates every token that was issued so far. */
  expireTokens(): void;
  close(): Promise<void>;
}

/** An MCP server behind OAuth. Its authorization server has the same address and accepts everyone. */
export async function startProtectedServer(): Promise<ProtectedServer> {
  const requests: string[] = [];
  const usedTokens: string[] = [];
  const codes = new Map<string, string>();
  let tokens = new Set<string>();
  const refreshTokens = new Set<string>();
  const mcp = createMcpHandler(() => {
    const server = new Server({ name: "vault", version: "1" }, { capabilities: { tools: {} } });
    const tool = { name: "open", description: "Opens the vault.", inputSchema: { type: "object" as const } };
    server.setRequestHandler("tools/list", () => ({ tools: [tool] }));
    server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "open" }] }));
    return server;
  });

  function issueTokens(): Response {
    const [access, refresh] = [randomUUID(), randomUUID()];
    tokens.add(access);
    refreshTokens.add(refresh);
    return Response.json({
      access_token: access,
      refresh_token: refresh,
      token_type: "Bearer",
      expires_in: 3600,
    });
  }

  async function answer(request: Request, origin: string): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return Response.json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (pathname.startsWith("/.well-known/oauth-authorization-server"))
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    if (pathname === "/register")
      return Response.json(
        { ...((await request.json()) as object), client_id: "tackle-client" },
        { status: 201 },
      );
    if (pathname === "/authorize") {
      const code = randomUUID();
      codes.set(code, searchParams.get("code_challenge") ?? "");
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", code);
      back.searchParams.set("state", searchParams.get("state") ?? "");
      return Response.redirect(back.href);
    }
    if (pathname === "/token") {
      const form = new URLSearchParams(await request.text());
      if (refreshTokens.has(form.get("refresh_token") ?? "")) return issueTokens();
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      return codes.get(form.get("code") ?? "") === challenge
        ? issueTokens()
        : Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    if (!tokens.has(request.headers.get("authorization")?.replace("Bearer ", "") ?? "")) {
      const where = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      return new Response(null, { status: 401, headers: { "www-authenticate": where } });
    }
    usedTokens.push(request.headers.get("authorization") ?? "");
    return mcp.fetch(request);
  }

  const server = createServer(async (incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.url?.split("?")[0]}`);
    const origin = `http://${incoming.headers.host}`;
    const response = await answer(await toRequest(incoming, origin), origin);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    usedTokens,
    expireTokens: () => {
      tokens = new Set();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await mcp.close();
    },
  };
}

/** Converts a Node request into the form that the library expects. */
export async function toRequest(
  incoming: IncomingMessage,
  origin: string,
  signal?: AbortSignal,
): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return new Request(`${origin}${incoming.url}`, {
    method: incoming.method ?? "GET",
    headers,
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
  });
}
