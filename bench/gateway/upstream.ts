import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerQuestions } from "../load/child.ts";
import { markNow, now } from "../load/marks.ts";
import { FRAMES, PACE_MS } from "./figures.ts";

// A child process with a model that speaks OpenAI's dialect: the first frame at once, then one every 20 ms, 64 in all.

interface Answer {
  response: ServerResponse;
  left: number;
}

const slots: Set<Answer>[] = Array.from({ length: PACE_MS }, () => new Set());
let ticked = Math.floor(now());

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume().once("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const slot = slots[Math.floor(now()) % PACE_MS];
    const answer = { response, left: FRAMES - 1 };
    response.write(frame({ role: "assistant", content: markNow() }));
    slot?.add(answer);
    response.once("close", () => slot?.delete(answer));
  });
});

function frame(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

function tick(): void {
  const until = Math.floor(now());
  for (ticked = Math.max(ticked, until - PACE_MS); ticked < until; ticked++) {
    const slot = slots[ticked % PACE_MS];
    for (const answer of slot ?? []) {
      answer.response.write(frame({ content: markNow() }));
      answer.left -= 1;
      if (answer.left > 0) continue;
      slot?.delete(answer);
      answer.response.end(`${frame({}, "stop")}data: [DONE]\n\n`);
    }
  }
  setTimeout(tick, 1);
}

server.listen(0, "127.0.0.1", 4096, () => {
  tick();
  const { port } = server.address() as AddressInfo;
  answerQuestions({ url: () => `http://127.0.0.1:${port}` });
});
