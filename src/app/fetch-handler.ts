import { type EmbeddedTackle, internalsOf } from "./embed.ts";
import type { OpenedServer } from "./open-server.ts";
import type { Tackle } from "./tackle.ts";

/**
 * All routes as one function, for any server that answers a `Request` with a `Response`. Event streams are web streams.
 * It is closed together with the app.
 */
export function toFetchHandler(embedded: EmbeddedTackle | Tackle): (request: Request) => Promise<Response> {
  const tackle = internalsOf(embedded);
  let opening: Promise<OpenedServer> | undefined;
  tackle.beforeClose(async () => {
    // A server that could not be opened has reported it, and needs no closing.
    const opened = await opening?.catch(() => undefined);
    if (!opened) return;
    const { server, mcp, closeAccounts } = opened;
    await mcp.close();
    await server.close();
    await closeAccounts();
  });
  return async (request) => {
    // Loaded with the first request, so that other programs start faster.
    opening ??= open(tackle);
    const { server } = await opening;
    return server.fetch(withHost(request));
  };
}

async function open(tackle: Tackle): Promise<OpenedServer> {
  const { openServer } = await import("./open-server.ts");
  const opened = await openServer(tackle);
  const token = await opened.accounts?.setUpToken();
  if (token) tackle.log.warn(`There is no account yet. The first one needs this set-up token: ${token}`);
  return opened;
}

/** Adds the Host header to a request that a program made itself. */
function withHost(request: Request): Request {
  if (request.headers.has("host")) return request;
  const headers = new Headers(request.headers);
  headers.set("host", new URL(request.url).host);
  return new Request(request, { headers });
}
