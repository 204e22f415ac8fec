import { join } from "node:path";
import { createVault } from "../accounts/vault.ts";
import type { AddedTools } from "../protocol/added-tools.ts";
import type { Store } from "../protocol/store.ts";
import { type McpServers, startMcpServers } from "../tools/mcp/servers.ts";
import { type ApiTools, startApiTools } from "../tools/openapi/tools.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import { createUserTools } from "../tools/user-tools.ts";
import { openAddedTools } from "./added-tools.ts";
import type { Config } from "./config.ts";
import { productVersion } from "./product-version.ts";

export interface ExternalTools {
  mcp: McpServers;
  apis: ApiTools;
  /** What administrators have added. */
  added: AddedTools;
  close(): Promise<void>;
}

/** Adds the tools of MCP servers and of OpenAPI documents. */
export async function startExternalTools(parts: {
  config: Config;
  store: Store;
  registry: ToolRegistry;
  keyFor(purpose: string): Buffer;
  onProblem(line: string): void;
}): Promise<ExternalTools> {
  const { config, store, registry, keyFor, onProblem } = parts;
  const mcp = await startMcpServers({
    file: config.mcpFile,
    tokenFolder: join(config.dataDir, "mcp-auth"),
    env: config.settings,
    store,
    registry,
    allow: config.fetchAllow,
    // If there are several people, what one of them authorizes is never used for another.
    personal: config.auth === "none" ? undefined : createVault(keyFor("MCP credentials")),
    publicUrl: config.publicUrl,
    guestTools: config.guestTools,
    version: productVersion(),
    onProblem,
  });
  const apis = await startApiTools({ file: config.openApiFile, env: config.settings, registry, onProblem });
  const vault = createVault(keyFor("added tools"));
  const added = await openAddedTools({
    store,
    vault,
    registry,
    mcp,
    apis,
    own: createUserTools(registry, join(config.dataDir, "added-tools")),
    commands: config.toolsFromWeb,
  });
  return {
    mcp,
    apis,
    added,
    async close() {
      added.close();
      apis.close();
      await mcp.close();
    },
  };
}
