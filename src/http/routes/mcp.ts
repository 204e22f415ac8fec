import { Failure } from "../../protocol/failure.ts";
import { isObject } from "../../protocol/json.ts";
import { aboutAct } from "../audited.ts";
import { readJson } from "../body.ts";
import { acceptCaller, addressOf, authenticate, clientOf } from "../caller.ts";
import {
  type HttpContext,
  pathParameter,
  publicRoute,
  type Route,
  route,
  type ServerState,
} from "../context.ts";
import { whenCallerGone } from "../sse.ts";
import { identifyProgram, mcpAuthorizationRoutes } from "./mcp-authorization.ts";

/** The MCP endpoint for other programs, and the OAuth callback for MCP servers that we use. */
export function mcpRoutes(server: ServerState): Route[] {
  const { mcp } = server.deps;
  if (!mcp) return [];
  const handle = (c: HttpContext) => handleMcp(c);
  return [
    route("GET /mcp/oauth/callback", finishAuthorization),
    publicRoute("GET /mcp/oauth/client.json", async (c) => c.json(mcp.servers.clientMetadata())),
    route("GET /mcp/servers", async (c) =>
      c.json({ servers: await mcp.servers.list(await authenticate(c)) }),
    ),
    route("GET /mcp/servers/:name/authorize", async (c) =>
      c.redirect(await mcp.servers.authorizationUrl(await authenticate(c), pathParameter(c, "name"))),
    ),
    route("DELETE /mcp/servers/:name/authorization", async (c) => {
      await mcp.servers.forget(await authenticate(c), pathParameter(c, "name"));
      return c.body(null, 204);
    }),
    { ...publicRoute("POST /mcp", handle), prepare: () => mcp.prepare() },
    route("GET /mcp", handle),
    publicRoute("DELETE /mcp", handle),
    route("GET /mcp/sse", handle),
    publicRoute("POST /mcp/sse", handle),
    ...mcpAuthorizationRoutes(),
  ];
}

async function handleMcp(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const { mcp } = server.deps;
  if (!mcp) throw new Failure("NOT_FOUND", "There is nothing at this address.");
  const caller = await identifyProgram(c);
  const body = c.req.method === "POST" ? await readJson(c) : undefined;
  // Each guest has limits of its own, and all guests at an address have them together.
  if (isObject(body) && body.method === "tools/call" && isObject(body.params))
    await server.deps.takeByAddress?.(String(body.params.name), clientOf(c, caller));
  const principal = acceptCaller(c, caller);
  const gone = AbortSignal.any([whenCallerGone(c), server.closing]);
  // Streams of guests, who can become others, must not push out those of everybody else.
  if (c.req.method === "GET" && principal.kind === "guest")
    gone.addEventListener("abort", server.followers.enterFeed(addressOf(c)), { once: true });
  const request = new Request(c.req.url, { method: c.req.method, headers: c.req.raw.headers });
  return mcp.handle(request, { principal, gone, requestId: c.var.requestId, body });
}

async function finishAuthorization(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const callback = new URL(c.req.url).searchParams;
  // Only who started an authorization can finish it.
  const principal = await authenticate(c);
  const name = await server.deps.mcp?.servers.finishAuthorization(principal, callback);
  aboutAct(c, { actor: "operator", subject: { server: name } });
  // In a browser, the web app says so in the person's language.
  if (name !== undefined && (c.req.header("accept") ?? "").includes("text/html"))
    return c.redirect(`/#/connected/${encodeURIComponent(name)}`);
  return c.text(`Tackle may now use the MCP server ${name}. You can close this window.`);
}
