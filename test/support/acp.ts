import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type McpServer,
  ndJsonStream,
  type PromptRequest,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { expect, vi } from "vitest";
import { compiled, prepareData, tackleCommand } from "./server.ts";

type Permit = (
  request: RequestPermissionRequest,
  signal: AbortSignal,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>;

/** An editor with `tackle acp` as its agent. */
export interface Editor {
  agent: ClientContext;
  child: ChildProcess;
  updates: SessionUpdate[];
  permissions: RequestPermissionRequest[];
  /** The output of its terminals, by id. */
  terminals: Map<string, { output: string; exitCode: number | null; released: boolean }>;
  /** Everything on standard output that is not JSON. */
  noise: string[];
  /** Forgets what came from the agent so far, and answers its questions about calls like this from now on. */
  startAnew(permit?: Permit): void;
  newSession(mcpServers?: McpServer[]): Promise<string>;
  /** Sends a text and returns the stop reason. */
  prompt(sessionId: string, text: string): Promise<string>;
  /** The agent's text so far. */
  said(): string;
  close(): Promise<number | null>;
  kill(): Promise<void>;
}

export const allow = (optionId: string): RequestPermissionResponse => ({
  outcome: { outcome: "selected", optionId },
});

/** Starts `tackle acp` and connects the SDK's own client to it. */
export async function openEditor(options: {
  dataDir: string;
  cwd: string;
  env?: Record<string, string>;
  can?: ClientCapabilities;
  permit?: Permit;
  /** Fills in a form. */
  fill?(request: CreateElicitationRequest): CreateElicitationResponse;
}): Promise<Editor> {
  const { dataDir, cwd, env = {}, can = {} } = options;
  const permitAll: Permit = () => allow("allow_once");
  let { permit = permitAll } = options;
  await prepareData(dataDir);
  const [file, ...before] = tackleCommand;
  const child = spawn(file, [...before, "acp", "--data", dataDir], {
    cwd,
    env: {
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
      HOME: dataDir,
      OLLAMA_BASE_URL: "http://127.0.0.1:9",
      TACKLE_DEMO_TOKENS_PER_SECOND: "0",
      NODE_COMPILE_CACHE: compiled,
      ...env,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const updates: SessionUpdate[] = [];
  const permissions: RequestPermissionRequest[] = [];
  const terminals: Editor["terminals"] = new Map();
  const noise: string[] = [];
  const running = new Map<string, Promise<unknown>>();
  let written = "";
  child.stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString();
    const text = chunk.toString().trim();
    if (text !== "" && !text.startsWith("{") && !text.endsWith("}")) noise.push(text);
  });
  const app = client({ name: "test editor" })
    .onRequest("session/request_permission", ({ params, signal }) => {
      permissions.push(params);
      return permit(params, signal);
    })
    .onRequest("elicitation/create", ({ params }) => options.fill?.(params) ?? { action: "decline" })
    .onRequest("terminal/create", ({ params }) => {
      const terminalId = `term_${terminals.size}`;
      const terminal = { output: "", exitCode: null as number | null, released: false };
      terminals.set(terminalId, terminal);
      const shell = spawn(params.command, params.args ?? [], { cwd: params.cwd ?? cwd });
      shell.stdout.on("data", (chunk: Buffer) => {
        terminal.output += chunk.toString();
      });
      running.set(
        terminalId,
        once(shell, "exit").then(([code]: (number | null)[]) => {
          terminal.exitCode = code ?? null;
        }),
      );
      return { terminalId };
    })
    .onRequest("terminal/wait_for_exit", async ({ params }) => {
      await running.get(params.terminalId);
      return { exitCode: terminals.get(params.terminalId)?.exitCode ?? null };
    })
    .onRequest("terminal/release", ({ params }) => {
      const terminal = terminals.get(params.terminalId);
      if (terminal) terminal.released = true;
      return {};
    })
    .onNotification("session/update", ({ params }) => {
      updates.push(params.update);
    });
  const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const connection = app.connect(ndJsonStream(Writable.toWeb(child.stdin), input));
  const { agent } = connection;
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: can });
  const ended = async () => {
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    return child.exitCode;
  };
  return {
    agent,
    child,
    updates,
    permissions,
    terminals,
    noise,
    startAnew(next = permitAll) {
      for (const list of [updates, permissions, noise]) list.length = 0;
      terminals.clear();
      written = "";
      permit = next;
    },
    async newSession(mcpServers = []) {
      return (await agent.request("session/new", { cwd, mcpServers })).sessionId;
    },
    async prompt(sessionId, text) {
      const params: PromptRequest = { sessionId, prompt: [{ type: "text", text }] };
      const answer: PromptResponse = await agent.request("session/prompt", params);
      // The SDK hands over an answer at once, but may still be at work on the updates before it.
      const sent = written.split('"method":"session/update"').length - 1;
      await vi.waitFor(() => expect(updates.length).toBeGreaterThanOrEqual(sent), 10_000);
      return answer.stopReason;
    },
    said: () =>
      updates
        .flatMap((one) =>
          one.sessionUpdate === "agent_message_chunk" && one.content.type === "text"
            ? [one.content.text]
            : [],
        )
        .join(""),
    close() {
      child.stdin.end();
      return ended();
    },
    async kill() {
      child.kill("SIGKILL");
      await ended();
    },
  };
}
