import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { textMessage } from "../../protocol/messages.ts";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import { defineProvider } from "../../protocol/provider.ts";
import { createModel } from "./exchange.ts";
import { openaiResponses } from "./openai-responses.ts";
import { sseOf, summarize } from "./testing/replay.ts";
import type { Transport } from "./transport.ts";

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Starts the vendor. `refuses` says which requests it answers with an error. */
async function vendor(refuses: (body: Record<string, unknown>) => boolean) {
  const bodies: Record<string, unknown>[] = [];
  server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text) as Record<string, unknown>;
    bodies.push({ path: request.url, ...body });
    if (refuses(body)) {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { code: "previous_response_not_found", message: "Not found." } }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(
      sseOf([
        { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hello" },
        { type: "response.completed", response: { id: "resp_2", status: "completed" } },
      ]),
    );
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return { bodies, port: (server.address() as AddressInfo).port };
}

const transport: Transport = {
  async send({ url, method, headers, body, signal }) {
    const response = await fetch(url, { method, headers, body, signal });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: response.body ?? new ReadableStream<Uint8Array>(),
      discard: () => undefined,
    };
  },
  close: async () => undefined,
};

async function ask(port: number) {
  const provider = defineProvider({
    id: "openai",
    label: "OpenAI",
    baseUrl: `http://127.0.0.1:${port}/v1`,
    baseUrlSetting: "OPENAI_BASE_URL",
    dialect: "openai-responses",
    models: [],
    unknownModel: {},
    quirks: { store: true },
  });
  const model = createModel({ provider, modelInfo: { name: "gpt-5" }, dialect: openaiResponses, transport });
  const request: ModelRequest = {
    messages: [
      textMessage("u1", "user", "One"),
      {
        id: "a1",
        role: "assistant",
        model: model.id,
        parts: [{ type: "text", text: "Hi.", metadata: { responseId: "resp_1" } }],
      },
      textMessage("u2", "user", "Two"),
    ],
    tools: [],
  };
  const events: ModelEvent[] = [];
  await model.stream(request, (event) => events.push(event), new AbortController().signal);
  return summarize(events);
}

it("sends the whole history once if the vendor no longer has the previous answer", async () => {
  const { bodies, port } = await vendor((body) => body.previous_response_id !== undefined);
  const { text, parts } = await ask(port);
  expect(text).toBe("Hello");
  expect(parts.at(-1)?.metadata).toEqual({ responseId: "resp_2" });
  expect(bodies).toMatchObject([
    { path: "/v1/responses", previous_response_id: "resp_1", input: [{ role: "user" }] },
    { path: "/v1/responses", input: [{ role: "user" }, { role: "assistant" }, { role: "user" }] },
  ]);
  expect(bodies[1]).not.toHaveProperty("previous_response_id");
});

it("gives up if the vendor refuses the whole history as well", async () => {
  const { bodies, port } = await vendor(() => true);
  const { failure } = await ask(port);
  expect(failure?.retryable).toBe(false);
  expect(bodies).toHaveLength(2);
});
