import { z } from "zod";
import {
  apiChange,
  mcpServerChange,
  newApi,
  newMcpServer,
  newUserTool,
  userToolChange,
} from "../../protocol/added-tools.ts";
import { alwaysCovers } from "../../protocol/events.ts";
import { policyChange, policyQuestion, policyRule } from "../../protocol/policy-book.ts";
import { reasonSchema } from "../../protocol/reason-schema.ts";

const ruleWarning = reasonSchema.extend({ message: z.string() });

const toolSource = z.object({
  name: z.string(),
  from: z.enum(["file", "added"]).meta({ description: "`file`: only the operator can change it." }),
  paused: z.boolean(),
  state: z.enum(["ready", "starting", "unauthorized", "unavailable", "paused"]),
  problem: z.string().optional().meta({ description: "Why it is not ready." }),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  url: z.string().optional(),
  code: z.string().optional().meta({ description: "The text of a tool that was added." }),
  secrets: z.array(z.string()).meta({ description: "The names of its secrets. They are never returned." }),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      effect: z.enum(["none", "read", "write", "network"]),
    }),
  ),
  errors: z
    .array(z.object({ at: z.string(), code: z.string() }))
    .meta({ description: "The last calls of its tools that failed, newest first." }),
});

const effect = z.enum(["none", "read", "write", "network"]);
const action = z.enum(["allow", "ask", "deny"]);

/** MCP servers, OpenAPI documents and people's own tools, as administrators see them. */
export const TOOL_SOURCE_SCHEMAS = {
  ToolSource: toolSource,
  ToolSources: z.object({
    sources: z.array(toolSource),
    commands: z.boolean().optional().meta({
      description: "Of MCP servers and own tools: whether administrators may add what runs on the server.",
    }),
  }),
  NewMcpServer: newMcpServer,
  McpServerChange: mcpServerChange,
  NewApi: newApi,
  ApiChange: apiChange,
  NewUserTool: newUserTool,
  UserToolChange: userToolChange,
  AlwaysList: z.object({
    approvals: z.array(
      z.object({
        id: z.string(),
        sessionId: z.string(),
        title: z.string(),
        covers: alwaysCovers,
        at: z.string().optional().meta({ description: "When it was said, if that is known." }),
      }),
    ),
  }),
  PolicyChange: policyChange,
  PolicyQuestion: policyQuestion,
  PolicyPage: z.object({
    revision: z.string().meta({ description: "Send it along with a change." }),
    from: z.enum(["file", "program", "default"]),
    rules: z
      .array(policyRule.extend({ warnings: z.array(ruleWarning) }))
      .meta({ description: "In the order in which they apply." }),
    default: z.object({ none: action, read: action, network: action, write: z.string() }),
    warnings: z.array(ruleWarning),
    tests: z.array(
      z.object({
        tool: z.string(),
        arguments: z.record(z.string(), z.unknown()),
        expected: z.string(),
        said: z.string().optional(),
      }),
    ),
  }),
  PolicyAnswer: z.object({
    action,
    rule: z.number().optional().meta({ description: "The place of the rule that applies, from 0." }),
    effect,
    despiteRules: z.boolean().meta({ description: "A danger is asked about although the rules allow it." }),
    reason: z.string().optional(),
    because: z
      .array(reasonSchema)
      .optional()
      .meta({ description: "The reason as data, if a person is asked." }),
  }),
};
