import { randomBytes } from "node:crypto";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

export const SSE_PATH = "/mcp/sse";
const HEARTBEAT_MS = 15_000;
/** A client that reads more slowly than this is cut off. */
const MAX_BUFFERED_BYTES = 10_000_000;

/**
 * MCP's transport of 2024: the server speaks in one event stream, whose first event is the address for what the client says.
 * The session ends with the stream.
 */
export class SseTransport implements Transport {
  readonly sessionId: string = randomBytes(24).toString("base64url");
  readonly stream: ReadableStream<Uint8Array>;
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  #writer: ReadableStreamDefaultController<Uint8Array> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  constructor() {
    const size = ({ length }: Uint8Array) => length;
    this.stream = new ReadableStream(
      {
        start: (controller) => {
          this.#writer = controller;
        },
        cancel: () => this.#end(),
      },
      { highWaterMark: MAX_BUFFERED_BYTES, size },
    );
  }

  async start(): Promise<void> {
    this.#write(`event: endpoint\ndata: ${SSE_PATH}?sessionId=${this.sessionId}\n\n`);
    this.#heartbeat = setInterval(() => this.#write(": still here\n\n"), HEARTBEAT_MS).unref();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  async close(): Promise<void> {
    this.#writer?.close();
    this.#end();
  }

  #write(frame: string): void {
    this.#writer?.enqueue(new TextEncoder().encode(frame));
    if ((this.#writer?.desiredSize ?? 0) < 0) void this.close();
  }

  #end(): void {
    if (!this.#writer) return;
    this.#writer = undefined;
    clearInterval(this.#heartbeat);
    this.onclose?.();
  }
}
