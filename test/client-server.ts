import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { contentDelta } from "../src/protocol/deltas.ts";
import type { ChatEvent } from "../src/protocol/events.ts";

/** A request as the server saw it. */
export interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export type Answer = (request: Seen, response: ServerResponse) => void;

export interface TestServer {
  url: string;
  seen: Seen[];
  close(): Promise<void>;
}

/** A server on a real socket with scripted responses. */
export async function startServer(answer: Answer): Promise<TestServer> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const it = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
    seen.push(it);
    answer(it, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const SESSION: ChatEvent = {
  type: "session",
  sessionId: "ses_1",
  runId: "run_1",
  messageId: "msg_1",
  model: "demo/demo",
  title: "Test",
};
export const DONE: ChatEvent = {
  type: "done",
  finishReason: "stop",
  messageId: "msg_1",
  iterations: 1,
  toolCalls: 0,
};

/** Returns the events of a complete run with `count` events. */
export function runOf(count: number): ChatEvent[] {
  const texts = Array.from({ length: count - 2 }, (_, index) => contentDelta(`piece ${index} äöü 漢字 🙂\n`));
  return [SESSION, ...texts, DONE];
}

/** Returns the event at that position as an SSE frame. */
export function frame(events: ChatEvent[], seq: number): string {
  return `id: ${seq}\ndata: ${JSON.stringify(events[seq - 1])}\n\n`;
}

/** Returns the SSE frames of the run after event `after`. */
export function wire(events: ChatEvent[], after: number): Buffer {
  const frames = events.slice(after).map((_, index) => frame(events, after + index + 1));
  return Buffer.from(`: hello\n\n${frames.join("")}data: [DONE]\n\n`);
}

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
}

export function answerJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Returns the event number that a request wants to resume after. */
export function lastEventId(request: Seen): number {
  return Number(request.headers["last-event-id"] ?? 0);
}

/** Returns a seeded generator of random numbers in [0, 1) (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
