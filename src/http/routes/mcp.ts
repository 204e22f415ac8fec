import { Failure } from "../../protocol/failure.ts";
import { readJson } from "../body.ts";
import { acceptCaller, identify } from "../caller.ts";
import type { HttpContext, Route, ServerState } from "../context.ts";
import { whenCallerGone } from "../sse.ts";

/** Our tools for other programs, and where browsers come back to from servers that we are a client of. */
export function mcpRoutes(server: ServerState): Route[] {
  if (!server.deps.mcp) return [];
  const methods = ["POST", "GET", "DELETE"] as const;
  return [
    { method: "GET", path: "/mcp/oauth/callback", handle: (c) => finishAuthorization(c, server) },
    ...methods.map((method): Route => ({ method, path: "/mcp", handle: (c) => handleMcp(c, server) })),
  ];
}

async function handleMcp(c: HttpContext, server: ServerState): Promise<Response> {
  const { mcp } = server.deps;
  if (!mcp) throw new Failure("NOT_FOUND", "There is nothing at this address.");
  const { incoming } = c.env ?? {};
  const body = c.req.method === "POST" ? await readJson(c.req.raw, incoming) : undefined;
  const caller = await identifyCaller(c, server);
  const principal = acceptCaller(c, server, caller);
  const gone = AbortSignal.any([whenCallerGone(c), server.closing]);
  const request = new Request(c.req.url, { method: c.req.method, headers: c.req.raw.headers });
  return mcp.handle(request, { principal, gone, ...(body === undefined ? {} : { body }) });
}

/** A program that shows nothing would be a new guest with every message, and no session would be its own. */
async function identifyCaller(c: HttpContext, server: ServerState) {
  try {
    const caller = await identify(c, server);
    if (caller.guestToken === undefined) return caller;
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === "UNAUTHORIZED")
      c.var.headers["www-authenticate"] = "Bearer";
    throw thrown;
  }
  c.var.headers["www-authenticate"] = "Bearer";
  throw new Failure("UNAUTHORIZED", "Send an API key or a token as Authorization: Bearer … to use MCP here.");
}

async function finishAuthorization(c: HttpContext, server: ServerState): Promise<Response> {
  const callback = new URL(c.req.url).searchParams;
  const name = await server.deps.mcp?.finishAuthorization(callback);
  return c.text(`Tackle may now use the MCP server ${name}. You can close this window.`);
}
