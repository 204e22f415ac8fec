import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Serving } from "../../src/app/serve.ts";
import type { RunBatch } from "../../src/protocol/run-records.ts";
import type { Store } from "../../src/protocol/store.ts";

/** A file system in memory. */
const MEMORY = "/dev/shm";

/** Starts a server in front of an upstream and returns its address. */
type StartServer = (upstream: string) => Promise<string>;

/** The same server written with each package: it takes a question and streams the answer. */
export const PEERS: Record<string, StartServer> = {
  tackle: async (upstream) => (await tackle(upstream, tmpdir())).url,
  "tackle-in-memory": tackleInMemory,
  pipe,
  openai: (upstream) => answering(() => openaiServer(upstream)),
  langchain: (upstream) => answering(() => langchainServer(upstream)),
  "ai-sdk": (upstream) => answering(() => aiSdkServer(upstream)),
};

async function tackle(upstream: string, folder: string): Promise<Serving> {
  const { loadConfig } = await import("../../src/app/config.ts");
  const { serve } = await import("../../src/app/serve.ts");
  const data = mkdtempSync(join(folder, "tackle-load-"));
  const { DATABASE_URL, TACKLE_JOURNAL_URL, TACKLE_READ_BACKOFF } = process.env;
  const config = loadConfig({
    env: {
      OPENAI_API_KEY: "bench",
      OPENAI_BASE_URL: `${upstream}/v1`,
      OLLAMA_BASE_URL: "http://127.0.0.1:9",
      TACKLE_MODEL: "openai/gpt-4o",
      TACKLE_AUTH: "none",
      // The others ask a model once for each question, too.
      TACKLE_TITLE_MODEL: "off",
      TACKLE_SECRET: "only used by this local benchmark",
      DATABASE_URL,
      TACKLE_JOURNAL_URL,
      TACKLE_READ_BACKOFF,
    },
    overrides: { data, port: "0" },
    cwd: data,
  });
  process.on("exit", () => rmSync(data, { recursive: true, force: true }));
  return serve(config);
}

/**
 * Shows what durability costs: events are sent before they are committed, and all of a run's are written at its end, to a
 * database in memory where the system allows it.
 */
async function tackleInMemory(upstream: string): Promise<string> {
  const { url, tackle: parts } = await tackle(upstream, existsSync(MEMORY) ? MEMORY : tmpdir());
  const { commit, finishRun, readEvents } = parts.store;
  const uncommitted = new Map<string, RunBatch[]>();
  const store: Pick<Store, "commit" | "finishRun" | "readEvents"> = {
    async commit(batches) {
      for (const batch of batches)
        uncommitted.set(batch.runId, [...(uncommitted.get(batch.runId) ?? []), batch]);
      return { fenced: [] };
    },
    async finishRun(finish) {
      await commit(uncommitted.get(finish.runId) ?? [], { durable: false });
      uncommitted.delete(finish.runId);
      return finishRun(finish);
    },
    async readEvents(runId, after, limit) {
      const sent = (uncommitted.get(runId) ?? []).flatMap(({ events, firstSeq }) =>
        events.map((json, index) => ({ seq: firstSeq + index, json })),
      );
      return [...(await readEvents(runId, after, limit)), ...sent.filter(({ seq }) => seq > after)];
    },
  };
  Object.assign(parts.store, store);
  return url;
}

/** The upper limit: copies bytes from one socket to another. */
async function pipe(upstream: string): Promise<string> {
  const { port } = new URL(upstream);
  const server = createServer({ noDelay: true }, (reader) => {
    const model = connect({ port: Number(port), host: "127.0.0.1", noDelay: true });
    reader.pipe(model).pipe(reader);
    reader.on("error", () => model.destroy());
    reader.on("close", () => model.destroy());
    model.on("error", () => reader.destroy());
  });
  return listening(server);
}

type Respond = (message: string, response: ServerResponse, gone: AbortSignal) => Promise<void>;

async function answering(create: () => Promise<Respond>): Promise<string> {
  const respond = await create();
  const server = createHttpServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    await respond((JSON.parse(body) as { message: string }).message, response, gone.signal).catch(
      (thrown: unknown) => {
        if (!gone.signal.aborted) console.error(thrown);
      },
    );
  });
  return listening(server);
}

async function openaiServer(upstream: string): Promise<Respond> {
  const { OpenAI } = await import("openai");
  const client = new OpenAI({ baseURL: `${upstream}/v1`, apiKey: "bench" });
  return async (content, response, signal) => {
    const messages = [{ role: "user" as const, content }];
    const stream = await client.chat.completions.create({ model: "m", stream: true, messages }, { signal });
    beginEvents(response);
    for await (const chunk of stream) {
      const text = chunk.choices[0]?.delta.content;
      if (text) response.write(`data: ${JSON.stringify({ type: "text", text })}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  };
}

async function langchainServer(upstream: string): Promise<Respond> {
  const { ChatOpenAI } = await import("@langchain/openai");
  const model = new ChatOpenAI({
    model: "m",
    apiKey: "bench",
    configuration: { baseURL: `${upstream}/v1` },
  });
  return async (message, response, signal) => {
    const stream = await model.stream([["user", message]], { signal });
    beginEvents(response);
    for await (const { content } of stream) {
      if (content !== "") response.write(`data: ${JSON.stringify({ type: "text", text: content })}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  };
}

async function aiSdkServer(upstream: string): Promise<Respond> {
  const { pipeUIMessageStreamToResponse, streamText, toUIMessageStream } = await import("ai");
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const provider = createOpenAICompatible({ name: "bench", baseURL: `${upstream}/v1`, apiKey: "bench" });
  return async (prompt, response, abortSignal) => {
    const { stream } = streamText({ model: provider.chatModel("m"), prompt, abortSignal, onError: () => {} });
    await pipeUIMessageStreamToResponse({ response, stream: toUIMessageStream({ stream }) });
  };
}

function beginEvents(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
}

function listening(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}
