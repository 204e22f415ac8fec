import { z } from "zod";
import type { Effect } from "./tool.ts";

// Tools that administrators add to a running server: MCP servers, OpenAPI documents and tools that they write. Secrets are
// never returned.

const name = z
  .string()
  .regex(/^[A-Za-z][\w-]{0,39}$/, "must begin with a letter and have at most 40 letters, digits, - and _");
const text = z.string().min(1).max(2_000);
const secrets = z
  .record(z.string().min(1).max(100), z.string().max(8_000))
  .refine((given) => Object.keys(given).length <= 40, "at most 40");
const address = text.refine(
  (given) => /^https?:\/\//i.test(given) && URL.canParse(given),
  "must be an http or https address",
);
const effects = z.record(z.string().max(200), z.enum(["none", "read", "write", "network"])).optional();
const timeoutMs = z.number().int().min(1).max(3_600_000).optional();

const mcpFields = {
  command: text.optional(),
  args: z.array(z.string().max(4_000)).max(100).optional(),
  env: secrets.optional(),
  url: address.optional(),
  headers: secrets.optional(),
  type: z.enum(["http", "sse"]).optional(),
  oauth: z.record(z.string(), z.unknown()).optional(),
  effects,
  timeoutMs,
  paused: z.boolean().optional(),
};

/** A new MCP server: a command that is started here, or an address. */
export const newMcpServer = z
  .strictObject({ name, ...mcpFields })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    message: "either a command or a url is needed",
  });
export type NewMcpServer = z.output<typeof newMcpServer>;

/** What is not given stays as it is, secrets too. */
export const mcpServerChange = z.strictObject(mcpFields);
export type McpServerChange = z.output<typeof mcpServerChange>;

const apiFields = {
  url: address.optional(),
  baseUrl: address.optional(),
  auth: z
    .strictObject({
      type: z.enum(["bearer", "header", "query", "basic"]).optional(),
      key: z.string().min(1).max(4_000),
      name: z.string().min(1).max(100).optional(),
    })
    .optional(),
  include: z.array(text).max(500).optional(),
  effects,
  paused: z.boolean().optional(),
};

/** A new OpenAPI document, read from an address. */
export const newApi = z.strictObject({ name, ...apiFields, url: address });
export type NewApi = z.output<typeof newApi>;

export const apiChange = z.strictObject(apiFields);
export type ApiChange = z.output<typeof apiChange>;

const code = z.string().min(1).max(50_000);

/** A new tool: the text of a file that exports it by default. It runs in the server, with all its rights. */
export const newUserTool = z.strictObject({ name, code, paused: z.boolean().optional() });
export type NewUserTool = z.output<typeof newUserTool>;

export const userToolChange = z.strictObject({ code: code.optional(), paused: z.boolean().optional() });
export type UserToolChange = z.output<typeof userToolChange>;

/** A source of tools, as administrators see it. */
export interface ToolSource {
  name: string;
  /** `file`: written by the operator, and changed there alone. */
  from: "file" | "added";
  paused: boolean;
  state: "ready" | "starting" | "unauthorized" | "unavailable" | "paused";
  /** Why it is not ready. */
  problem?: string;
  command?: string;
  args?: string[];
  url?: string;
  /** The text of a tool that was added. */
  code?: string;
  /** The names of its secrets: variables, headers, a key. */
  secrets: string[];
  tools: { name: string; description: string; effect: Effect }[];
  /** The last calls of its tools that failed, newest first. */
  errors: { at: string; code: string }[];
}

/** What a room of tools says about one of its sources. */
export interface SourceDetail {
  name: string;
  from: "file" | "added";
  state: Exclude<ToolSource["state"], "paused">;
  problem?: string;
  command?: string;
  args?: readonly string[];
  url?: string;
  secrets: readonly string[];
}

/** One kind of source that administrators can change. */
export interface ToolSources<New, Change> {
  list(): Promise<ToolSource[]>;
  /** Throws CONFLICT if the name is taken, INVALID_INPUT if there are too many. */
  add(request: New): Promise<ToolSource>;
  /** Throws NOT_FOUND, or CONFLICT for one of the operator's file. */
  change(name: string, change: Change): Promise<ToolSource>;
  remove(name: string): Promise<void>;
  /** Connects again and returns what came of it. */
  test(name: string): Promise<ToolSource>;
}

export interface AddedTools {
  mcp: ToolSources<NewMcpServer, McpServerChange>;
  openapi: ToolSources<NewApi, ApiChange>;
  /** Files of the user's folder can be paused too, but are removed there. */
  user: ToolSources<NewUserTool, UserToolChange>;
  /**
   * False where only the operator adds programs that run on the server. Then `mcp` throws FORBIDDEN for commands, and `user` for
   * code.
   */
  commands: boolean;
}
