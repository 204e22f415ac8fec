import type { OpenedDoor } from "./open-server.ts";
import type { Tackle } from "./tackle.ts";

/**
 * All our routes as one function, for any server that answers a `Request` with a `Response`. Event streams are web streams
 * there. What it opens is closed with the app.
 */
export function toFetchHandler(tackle: Tackle): (request: Request) => Promise<Response> {
  let opening: Promise<OpenedDoor> | undefined;
  tackle.beforeClose(async () => {
    // One that could not be opened told whoever asked; there is nothing to close.
    const opened = await opening?.catch(() => undefined);
    if (!opened) return;
    const { server, mcp, closeAccounts } = opened;
    await mcp.close();
    await server.close();
    await closeAccounts();
  });
  return async (request) => {
    // Loaded with the first request: a program without one does not wait for what a server needs.
    opening ??= import("./open-server.ts").then(({ openDoor }) => openDoor(tackle));
    const { server } = await opening;
    return server.fetch(withHost(request));
  };
}

/** A request that a program made itself does not say under which name it asks; its address does. */
function withHost(request: Request): Request {
  if (request.headers.has("host")) return request;
  const headers = new Headers(request.headers);
  headers.set("host", new URL(request.url).host);
  return new Request(request, { headers });
}
