import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { McpServer } from "@agentclientprotocol/sdk";
import { isObject, parseObject } from "../../protocol/json.ts";
import type { WorkspaceOptions } from "../../terminal/acp/workspace.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { productVersion } from "../product-version.ts";
import { LOCAL_OWNER } from "./open-tackle.ts";

/** Serves the Agent Client Protocol on standard input and output, for editors. Nothing else may be written there. */
export async function run(line: CommandLine): Promise<number> {
  const { ndJsonStream } = await import("@agentclientprotocol/sdk");
  const { createAcpAgent } = await import("../../terminal/acp/agent.ts");
  const { app, close } = createAcpAgent({
    version: productVersion(),
    open: (options) => openWorkspace(line, options),
    onProblem: (thrown) =>
      process.stderr.write(`tackle: ${thrown instanceof Error ? thrown.message : thrown}\n`),
  });
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), input));
  const leave = () => connection.close();
  process.once("SIGINT", leave);
  process.once("SIGTERM", leave);
  await connection.closed;
  // Runs that are not over continue in the next process, or in a server on the same data.
  await close();
  return 0;
}

/** Opens the app in the folder of a session. Several may be open at once, beside a server. */
async function openWorkspace(line: CommandLine, { cwd, folders, mcpServers }: WorkspaceOptions) {
  const { loadConfig } = await import("../config.ts");
  const { createTackle } = await import("../tackle.ts");
  const config = loadConfig({
    env: { ...process.env, TACKLE_ROOTS: [cwd, ...folders].join(delimiter) },
    overrides: { data: line.data, model: line.model },
    terminal: true,
    cwd,
  });
  const servers =
    mcpServers.length > 0 ? writeServers(config.dataDir, config.mcpFile, mcpServers) : undefined;
  const tackle = await createTackle(servers ? { ...config, mcpFile: servers.file } : config, {
    beside: true,
  });
  return {
    chat: tackle.chatFor(LOCAL_OWNER, "acp"),
    async close() {
      await tackle.close();
      servers?.remove();
    },
  };
}

/** Writes the editor's MCP servers beside the person's own. They hold secrets, so only the owner may read them. */
function writeServers(dataDir: string, ownFile: string, servers: readonly McpServer[]) {
  mkdirSync(dataDir, { recursive: true });
  const folder = mkdtempSync(join(dataDir, "editor-mcp-"));
  const file = join(folder, "mcp.json");
  const mcpServers = { ...ownServers(ownFile), ...Object.fromEntries(servers.map(settingsOf)) };
  writeFileSync(file, JSON.stringify({ mcpServers }), { mode: 0o600 });
  chmodSync(file, 0o600);
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function ownServers(file: string): object {
  try {
    const own = parseObject(readFileSync(file, "utf8"))?.mcpServers;
    return isObject(own) ? own : {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

function settingsOf(server: McpServer): [string, object] {
  const pairs = (list: readonly { name: string; value: string }[]) =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if ("command" in server)
    return [server.name, { command: server.command, args: server.args, env: pairs(server.env) }];
  return [server.name, { url: server.url, headers: pairs(server.headers) }];
}
