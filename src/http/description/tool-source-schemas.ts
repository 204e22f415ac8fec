import { z } from "zod";
import { apiChange, mcpServerChange, newApi, newMcpServer } from "../../protocol/added-tools.ts";

const toolSource = z.object({
  name: z.string(),
  from: z.enum(["file", "added"]).meta({ description: "`file`: only the operator can change it." }),
  paused: z.boolean(),
  state: z.enum(["ready", "starting", "unauthorized", "unavailable", "paused"]),
  problem: z.string().optional().meta({ description: "Why it is not ready." }),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  url: z.string().optional(),
  secrets: z.array(z.string()).meta({ description: "The names of its secrets. They are never returned." }),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      effect: z.enum(["none", "read", "write", "network"]),
    }),
  ),
});

/** MCP servers and OpenAPI documents, as administrators see them. */
export const TOOL_SOURCE_SCHEMAS = {
  ToolSource: toolSource,
  ToolSources: z.object({ sources: z.array(toolSource) }),
  NewMcpServer: newMcpServer,
  McpServerChange: mcpServerChange,
  NewApi: newApi,
  ApiChange: apiChange,
};
