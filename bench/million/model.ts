import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerQuestions } from "../load/child.ts";
import { TOKEN_GAP_MS } from "../load/figures.ts";
import { randomWords } from "./words.ts";

// A child process with a model that speaks OpenAI's dialect. It answers “… N tokens …” with N tokens, one every 20 ms, or all at once.

const words = randomWords(1);

const server = createServer(
  { keepAliveTimeout: 60_000 },
  (request, response) => void answer(request, response),
);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request) body += chunk;
  // The last message asks; earlier ones are in the body, too.
  const [, count = "1", speed] = [...body.matchAll(/(\d+) tokens (slowly|at once)/g)].at(-1) ?? [];
  let left = Number(count);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const end = () => response.end(`${frame({}, "stop")}data: [DONE]\n\n`);
  if (speed === "at once") {
    while (left-- > 0) response.write(frame({ content: words() }));
    return void end();
  }
  const timer = setInterval(() => {
    response.write(frame({ content: words() }));
    if (--left > 0) return;
    clearInterval(timer);
    end();
  }, TOKEN_GAP_MS);
  response.once("close", () => clearInterval(timer));
}

function frame(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  answerQuestions({ url: () => `http://127.0.0.1:${port}` });
});
