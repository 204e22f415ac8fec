import { type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { Failure } from "../../../protocol/failure.ts";
import type { Principal } from "../../../protocol/principal.ts";
import type { HttpCaller } from "./http-endpoint.ts";
import type { OwnMcpServer } from "./server.ts";
import { SseTransport } from "./sse-transport.ts";

const MAX_STREAMS = 1_000;
const MAX_STREAMS_OF_ONE = 50;

/** What the library is told with each message. */
type MessageFacts = Parameters<NonNullable<SseTransport["onmessage"]>>[1];

interface Stream {
  userId: string;
  transport: SseTransport;
}

/** Serves clients that only know MCP's older transport. Each stream belongs to one caller and does not exist for anyone else. */
export function createSseEndpoint(
  createServer: (principal: Principal) => OwnMcpServer,
  factsOf: (caller: HttpCaller) => MessageFacts,
) {
  const streams = new Map<string, Stream>();

  /** Ends the oldest streams if there are too many. */
  async function makeRoom(userId: string): Promise<void> {
    const all = [...streams.values()];
    const own = all.filter((stream) => stream.userId === userId);
    const oldest = [
      ...own.slice(0, Math.max(0, own.length - MAX_STREAMS_OF_ONE + 1)),
      ...all.slice(0, Math.max(0, all.length - MAX_STREAMS + 1)),
    ];
    for (const { transport } of new Set(oldest)) await transport.close();
  }

  return {
    async open(caller: HttpCaller): Promise<Response> {
      const { principal, gone } = caller;
      await makeRoom(principal.id);
      const transport = new SseTransport();
      const { server, announceChanges } = createServer(principal);
      const stopAnnouncing = announceChanges();
      server.server.onclose = () => {
        stopAnnouncing();
        streams.delete(transport.sessionId);
      };
      streams.set(transport.sessionId, { userId: principal.id, transport });
      await server.connect(transport);
      gone.addEventListener("abort", () => void transport.close(), { once: true });
      return new Response(transport.stream, {
        headers: {
          "content-type": "text/event-stream; charset=utf-8",
          "cache-control": "no-cache, no-transform",
          "x-accel-buffering": "no",
        },
      });
    },
    /** Takes a message of a client. Its answer comes in the stream. */
    receive(request: Request, caller: HttpCaller): Response {
      const stream = streams.get(new URL(request.url).searchParams.get("sessionId") ?? "");
      if (stream?.userId !== caller.principal.id)
        throw new Failure("NOT_FOUND", "There is no such session. Open a new stream.");
      stream.transport.onmessage?.(messageIn(caller.body), factsOf(caller));
      return new Response(null, { status: 202 });
    },
    async close(): Promise<void> {
      for (const { transport } of [...streams.values()]) await transport.close();
    },
  };
}

function messageIn(body: unknown): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(body);
  } catch (cause) {
    throw new Failure("INVALID_INPUT", "The body is not a message of JSON-RPC.", { cause });
  }
}
