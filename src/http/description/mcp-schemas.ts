import { z } from "zod";

/** The MCP servers that a person can use. */
export const mcpServers = z.object({
  servers: z.array(
    z.object({
      name: z.string(),
      state: z.enum(["starting", "ready", "unauthorized", "unavailable"]),
      tools: z.int(),
      authorizeUrl: z.string().optional().meta({ description: "Open it to grant access." }),
      authorized: z
        .literal(true)
        .optional()
        .meta({ description: "You granted access, and can take it back." }),
    }),
  ),
});

/** The prompts of an MCP server, as commands. */
export const promptCommands = z
  .array(z.object({ name: z.string(), description: z.string() }))
  .optional()
  .meta({ description: "Prompts of an MCP server. A message asks for one with `/server.name`." });
