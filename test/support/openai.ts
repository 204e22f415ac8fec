import OpenAI from "openai";
import { startUpstream } from "../../src/sim/testing/upstream.ts";
import type { Turn } from "../../src/sim/turn.ts";
import { errorTurn } from "../../src/sim/turns.ts";
import type { Upstream } from "../../src/sim/upstream.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./server.ts";

export interface UpstreamMessage {
  role: string;
  content: unknown;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** Our server with a scripted vendor, and OpenAI's client connected to our server. */
export interface OpenAiServer {
  upstream: Upstream;
  server: ServerProcess;
  openai: OpenAI;
  /** Sets the vendor's next answers, and drops those that an earlier test left. */
  play(...turns: Turn[]): void;
  /** The body of the newest request to the vendor. */
  lastRequest(): Record<string, unknown>;
  /** The messages of that request, without system messages and without the notes that tell the day. */
  lastMessages(): UpstreamMessage[];
  close(): Promise<void>;
}

/** Returns what the person said, without the note that tells the model the day. */
export function withoutNote<Content>(content: Content): Content | string {
  return typeof content === "string" ? content.replace(/\n\n\(Note from Tackle: [^)]*\)$/, "") : content;
}

export async function openServer(env: Record<string, string> = {}): Promise<OpenAiServer> {
  const folder = temporaryFolder();
  let queue: Turn[] = [];
  const upstream = await startUpstream({
    // Our server may request the list of models at any time.
    respond: ({ method }) =>
      (method === "GET" ? undefined : queue.shift()) ?? errorTurn(404, { message: "nothing to play" }),
  });
  const server = await startServer(folder.path, {
    ...modelAt(upstream.url),
    TACKLE_MAX_RETRIES: "0",
    ...env,
  });
  const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "anything", maxRetries: 0 });
  const lastRequest = () =>
    upstream.requests.findLast(({ method }) => method === "POST")?.body as Record<string, unknown>;
  return {
    upstream,
    server,
    openai,
    play: (...turns) => {
      queue = turns;
    },
    lastRequest,
    lastMessages: () =>
      (lastRequest().messages as UpstreamMessage[])
        .filter(({ role }) => role !== "system")
        .map((message) => ({ ...message, content: withoutNote(message.content) })),
    async close() {
      await server.stop();
      await upstream.close();
      folder.remove();
    },
  };
}

/** Returns the tool results in the messages, in order: the name of each tool and what the model reads of its output. */
export function resultsIn(messages: UpstreamMessage[]): [string, string][] {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls);
  return messages
    .filter(({ role }) => role === "tool")
    .map(({ content, tool_call_id }) => {
      const text = String(content);
      const name = calls.find(({ id }) => id === tool_call_id)?.function.name ?? "";
      // Only tools that run on the server have an envelope.
      return [
        name,
        /^<tool_result>\n[\s\S]*?<result>([\s\S]*)<\/result>\n<\/tool_result>$/.exec(text)?.[1] ?? text,
      ];
    });
}
