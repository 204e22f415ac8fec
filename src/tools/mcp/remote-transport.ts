import { SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { containedFetch } from "../../contain/fetch.ts";
import { hostAndPort } from "../../contain/fetch-url.ts";
import type { ServerAuthorization } from "./oauth.ts";
import { withProofs } from "./proofs.ts";
import type { RemoteServer } from "./settings.ts";

const MAX_MESSAGE_BYTES = 10_000_000;
const MAX_AUTHORIZATION_BYTES = 1_000_000;

export interface RemoteParts {
  authorization?: ServerAuthorization;
  /** Other `host:port` entries that may be private. */
  allow: readonly string[];
}

/** Creates a transport over HTTP: streamable, or the older SSE. */
export async function remoteTransport(
  server: RemoteServer,
  kind: "http" | "sse",
  parts: RemoteParts,
): Promise<StreamableHTTPClientTransport | SSEClientTransport> {
  const url = new URL(server.url);
  const { authorization } = parts;
  const options = {
    requestInit: { headers: { ...server.headers } },
    fetch: authorization ? withProofs(serverFetch(url, parts), authorization) : serverFetch(url, parts),
    ...((await authorization?.prepare()) ? { authProvider: authorization } : {}),
  };
  return kind === "sse"
    ? new SSEClientTransport(url, options)
    : new StreamableHTTPClientTransport(url, options);
}

/**
 * Fetches from the server that the operator named without checks. Other addresses, such as authorization servers, are
 * fetched with containment: public hosts or the server's own, on any port, with limits.
 */
function serverFetch(server: URL, { allow, authorization }: RemoteParts) {
  return async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const url = new URL(input);
    if (url.origin === server.origin) {
      const response = bounded(await fetch(url, init));
      const refused = response.status === 401 && new Headers(init?.headers).has("authorization");
      if (refused) await authorization?.forgetDiscovery();
      return response;
    }
    const { signal, body } = init ?? {};
    const own = url.hostname === server.hostname ? [hostAndPort(url)] : [];
    const { port } = url;
    const page = await containedFetch(url.href, {
      allow: [...allow, ...own],
      ...(port === "" ? {} : { ports: [Number(port)] }),
      maxRedirects: 0,
      maxBytes: MAX_AUTHORIZATION_BYTES,
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(signal ? { signal } : {}),
      ...(body === undefined || body === null ? {} : { requestBody: String(body) }),
    });
    const empty = [204, 205, 304].includes(page.status) || page.body.length === 0;
    const { "content-encoding": _encoding, "content-length": _length, ...headers } = page.headers;
    return new Response(empty ? null : Buffer.from(page.body), { status: page.status, headers });
  };
}

/** Limits the size of a message. */
function bounded(response: Response): Response {
  if (!response.body) return response;
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
  let size = 0;
  const meter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      // A stream may be endless. An empty line ends an event.
      size = isStream && endsEvent(chunk) ? 0 : size + chunk.length;
      if (size > MAX_MESSAGE_BYTES) controller.error(new Error("a message of the server is too large"));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  const answer = new Response(response.body.pipeThrough(meter), { status, statusText, headers });
  // A constructed response lacks these.
  Object.defineProperties(answer, {
    url: { value: response.url },
    redirected: { value: response.redirected },
  });
  return answer;
}

function endsEvent(chunk: Uint8Array): boolean {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).includes("\n\n");
}
