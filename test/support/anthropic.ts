import Anthropic from "@anthropic-ai/sdk";
import { startUpstream } from "../../src/sim/testing/upstream.ts";
import type { Turn } from "../../src/sim/turn.ts";
import { errorTurn } from "../../src/sim/turns.ts";
import type { Upstream } from "../../src/sim/upstream.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./server.ts";

/** Our server with two scripted vendors, one of which speaks Anthropic's dialect, and Anthropic's client. */
export interface AnthropicServer {
  server: ServerProcess;
  anthropic: Anthropic;
  /** Answers for `claude-sonnet-4-6`, which is passed on, and for `gpt-4o`, which is translated. */
  claude: ScriptedUpstream;
  gpt: ScriptedUpstream;
  close(): Promise<void>;
}

export interface ScriptedUpstream {
  upstream: Upstream;
  /** Sets the next answers, and drops those that an earlier test left. */
  play(...turns: Turn[]): void;
  /** The body of the newest request. */
  lastBody(): Record<string, unknown>;
}

export const CLAUDE = "claude-sonnet-4-6";
export const GPT = "gpt-4o";

/** With `rules: "off"`, the vendor of Claude also takes what its rules do not know. */
export async function openAnthropicServer(rules: "by path" | "off" = "by path"): Promise<AnthropicServer> {
  const folder = temporaryFolder();
  const claude = await scripted(rules);
  const gpt = await scripted("by path");
  const server = await startServer(folder.path, {
    ANTHROPIC_API_KEY: "key-a",
    ANTHROPIC_BASE_URL: claude.upstream.url,
    OPENAI_API_KEY: "key-o",
    OPENAI_BASE_URL: `${gpt.upstream.url}/v1`,
    TACKLE_MAX_RETRIES: "0",
  });
  const anthropic = new Anthropic({ baseURL: server.url, apiKey: "anything", maxRetries: 0 });
  return {
    server,
    anthropic,
    claude,
    gpt,
    async close() {
      await server.stop();
      await claude.upstream.close();
      await gpt.upstream.close();
      folder.remove();
    },
  };
}

async function scripted(rules: "by path" | "off"): Promise<ScriptedUpstream> {
  let queue: Turn[] = [];
  const upstream = await startUpstream({
    rules,
    respond: ({ method }) =>
      (method === "GET" ? undefined : queue.shift()) ?? errorTurn(404, { message: "nothing to play" }),
  });
  return {
    upstream,
    play: (...turns) => {
      queue = turns;
    },
    lastBody: () =>
      upstream.requests.findLast(({ method }) => method === "POST")?.body as Record<string, unknown>,
  };
}
