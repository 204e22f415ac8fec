import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Json } from "../../../protocol/json.ts";
import type { Principal } from "../../../protocol/principal.ts";
import type { Registry } from "../../../protocol/registry.ts";
import type { Tool, ToolContext, ToolOutput, ToolProgress } from "../../../protocol/tool.ts";
import { createRegistry } from "../../registry.ts";
import { type McpServers, type McpServersOptions, startMcpServers } from "../servers.ts";

export const NODE = process.execPath;
const modules = resolve(import.meta.dirname, "../../../../node_modules/@modelcontextprotocol");
export const EVERYTHING = join(modules, "server-everything/dist/index.js");
export const FILESYSTEM = join(modules, "server-filesystem/dist/index.js");
export const HOSTILE = resolve(import.meta.dirname, "hostile-server.mjs");

export interface Started {
  folder: string;
  mcp: McpServers;
  registry: Registry;
  problems: string[];
  settings: Record<string, Json>;
  tool(name: string): Tool;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolOutput>;
  write(servers: Record<string, unknown>): void;
  close(): Promise<void>;
}

export interface CallOptions {
  signal?: AbortSignal;
  principal?: Principal;
  progress?(progress: ToolProgress): void;
  ask?: ToolContext["ask"];
  askModel?: ToolContext["askModel"];
  roots?: readonly string[];
}

/** Starts servers from an `mcp.json` in a separate folder, with a real registry around them. */
export async function startServers(
  servers: Record<string, unknown>,
  options: Partial<McpServersOptions> & { folder?: string; settings?: Record<string, Json> } = {},
): Promise<Started> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "tackle-mcp-"));
  const file = join(folder, "mcp.json");
  const write = (content: Record<string, unknown>) =>
    writeFileSync(file, JSON.stringify({ mcpServers: content }));
  write(servers);
  const problems: string[] = [];
  const settings = options.settings ?? {};
  const registry = await createRegistry({
    userDir: undefined,
    settings: { roots: [], env: {} },
    onProblem: (line) => problems.push(line),
  });
  const mcp = await startMcpServers({
    file,
    tokenFolder: join(folder, "mcp-auth"),
    env: {},
    store: {
      getSettings: async () => settings,
      putSetting: async (_user, name, value) => {
        if (value === undefined) delete settings[name];
        else settings[name] = value;
      },
    },
    registry,
    allow: [],
    version: "1",
    onProblem: (line) => problems.push(line),
    backoff: { firstMs: 20, maxMs: 50 },
    readyWithinMs: 20_000,
    ...options,
  });
  const tool = (name: string) => {
    const found = registry.get(name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  };
  return {
    folder,
    mcp,
    registry,
    problems,
    settings,
    tool,
    write,
    call: (name, args = {}, how = {}) => tool(name).run(args, contextFor(how)),
    async close() {
      await mcp.close();
      registry.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function contextFor({ signal, principal, progress, ask, askModel, roots }: CallOptions): ToolContext {
  return {
    ask,
    askModel,
    toolCallId: "call_1",
    principal: principal ?? { id: "local", kind: "owner" },
    sessionId: undefined,
    runId: undefined,
    requestId: "req_1",
    idempotencyKey: "call_1",
    signal: signal ?? new AbortController().signal,
    roots: roots ?? [],
    now: () => new Date(0),
    progress: progress ?? (() => {}),
    show: () => {},
  };
}

/** A server that behaves as the file next to it says. The file can change while it runs. */
export function hostile(folder: string, behavior: unknown, more: Record<string, unknown> = {}) {
  const file = join(folder, "behavior.json");
  writeFileSync(file, JSON.stringify(behavior));
  return { command: NODE, args: [HOSTILE, file], ...more };
}
