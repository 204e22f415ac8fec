import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerQuestions } from "./child.ts";
import { BURST, BURST_TOKENS, TOKEN_GAP_MS } from "./figures.ts";
import { markNow, now } from "./marks.ts";

// A child process with a model that speaks OpenAI's dialect: a token every 20 ms on each stream until the reader disconnects.
// Like vendors, it writes each token by itself, at a different moment for each stream.

const slots: Set<ServerResponse>[] = Array.from({ length: TOKEN_GAP_MS }, () => new Set());
let nextSlot = 0;
let ticked = Math.floor(now());

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  void answer(request, response);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request) body += chunk;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(frame({ role: "assistant", content: "" }));
  if (body.includes(BURST)) return burst(response);
  const slot = slots[nextSlot++ % slots.length];
  slot?.add(response);
  response.once("close", () => slot?.delete(response));
}

function frame(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

const [before, after] = frame({ content: "MARK" }).split("MARK");

function token(): string {
  return before + markNow() + after;
}

/** Writes as fast as the reader takes it. */
function burst(response: ServerResponse): void {
  let left = BURST_TOKENS;
  const write = () => {
    while (left-- > 0) if (!response.write(token())) return void response.once("drain", write);
    response.end(`${frame({}, "stop")}data: [DONE]\n\n`);
  };
  write();
}

function tick(): void {
  const until = Math.floor(now());
  // After a delay, catches up by one round at most, to keep the pace even.
  for (ticked = Math.max(ticked, until - TOKEN_GAP_MS); ticked < until; ticked++)
    for (const response of slots[ticked % TOKEN_GAP_MS] ?? []) response.write(token());
  setTimeout(tick, 1);
}

server.listen(0, "127.0.0.1", () => {
  tick();
  const { port } = server.address() as AddressInfo;
  answerQuestions({ url: () => `http://127.0.0.1:${port}` });
});
