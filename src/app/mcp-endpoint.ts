import { randomUUID } from "node:crypto";
import { hideSecrets } from "../guard/redact/hide.ts";
import type { HttpCaller, McpHttpServer } from "../http/dialects/mcp/http-endpoint.ts";
import type { McpDependencies } from "../http/dialects/mcp/server.ts";
import { loadOptional } from "../protocol/optional-package.ts";
import { PLAN_TOOL } from "../protocol/plan.ts";
import type { ToolContext } from "../protocol/tool.ts";
import { runFor } from "./mcp-delegation.ts";
import { productVersion } from "./product-version.ts";
import type { Tackle } from "./tackle.ts";

/** What the MCP server needs to offer our tools to other programs. */
export function mcpDependencies(tackle: Tackle): McpDependencies {
  return {
    version: productVersion(),
    tools: (principal) =>
      tackle.registry
        .for(principal)
        .list()
        .filter(({ name, sessionOnly }) => !sessionOnly && name !== PLAN_TOOL),
    call({ principal, name, args, signal, progress, requestId, forTool, ...asModel }) {
      const chat = tackle.chatFor(principal, "mcp");
      const delegate: ToolContext["delegate"] = (task) => runFor(chat, asModel.callId, task, forTool);
      return tackle.callTool(principal, name, args, signal, {
        asModel: { ...asModel, forTool: { ...forTool, delegate } },
        progress,
        requestId,
      });
    },
    offerings: tackle.offerings,
    hide: hideSecrets,
    tasks: tackle.store,
    lease: { owner: randomUUID(), leaseMs: tackle.config.leaseMs },
    stateKey: tackle.keyFor("mcp request state"),
    onChange(callback) {
      const stops = [tackle.registry.onChange(() => callback("tools")), tackle.offerings.onChange(callback)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** The MCP endpoint of the HTTP server. Its library is loaded by `prepare` or with the first call. */
export function mcpEndpoint(tackle: Tackle) {
  let opened: Promise<McpHttpServer> | undefined;
  const open = async () =>
    (await loadOptional("MCP", import("../http/dialects/mcp/http-endpoint.ts"))).createMcpHttpServer(
      mcpDependencies(tackle),
    );
  const load = () => {
    opened ??= open();
    return opened;
  };
  return {
    // If the library is missing, the first call says so.
    prepare: () => load().catch(() => undefined),
    handle: async (request: Request, caller: HttpCaller): Promise<Response> =>
      (await load()).handle(request, caller),
    servers: tackle.mcp,
    async close(): Promise<void> {
      const server = await opened?.catch(() => undefined);
      await server?.close();
    },
  };
}
