import { isAbsolute, resolve } from "node:path";
import { z } from "zod";
import { parseJson } from "../../protocol/json.ts";
import type { Effect } from "../../protocol/tool.ts";
import { type OAuthSettings, readOAuthSettings } from "./oauth-settings.ts";

const APP_DOMAIN = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9.-]+(?::\d{1,5})?$/i;

/** Settings of both kinds of server. Unknown keys are ignored: other programs use the same file. */
const common = {
  disabled: z.boolean().default(false),
  /** Limit for one call. */
  timeoutMs: z.number().int().min(1).max(3_600_000).optional(),
  /** The effects of tools, set by the operator. The server's own claims are not trusted. */
  effects: z.record(z.string(), z.enum(["none", "read", "write", "network"])).default({}),
  /** True: the server's own hints about its tools are trusted. */
  trust: z.boolean().default(false),
  /** Origins that the server's apps may reach, where they declare them. */
  appDomains: z.array(z.string().regex(APP_DOMAIN, "an origin such as https://cdn.example")).default([]),
};

const local = z.object({
  ...common,
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().optional(),
});

const remote = z.object({
  ...common,
  url: z.string().min(1),
  headers: z.record(z.string(), z.string()).default({}),
  type: z.enum(["http", "streamable-http", "streamableHttp", "sse"]).default("http"),
  oauth: z.unknown().optional(),
  auth: z.unknown().optional(),
});

/** Sources of our own tools in listings. */
const OURS = new Set(["built-in", "user", "openapi"]);

interface Common {
  /** The prefix of its tools: `name.tool`. */
  name: string;
  timeoutMs?: number;
  effects: Readonly<Record<string, Effect>>;
  trust: boolean;
  appDomains: readonly string[];
}

/** A server that we start as a child process. */
export interface LocalServer extends Common {
  kind: "local";
  command: string;
  args: readonly string[];
  /** Variables besides the few that every server gets. */
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/** A server that runs elsewhere. */
export interface RemoteServer extends Common {
  kind: "remote";
  url: string;
  headers: Readonly<Record<string, string>>;
  transport: "http" | "sse";
  oauth: OAuthSettings;
}

export type ServerSettings = LocalServer | RemoteServer;

export interface McpSettings {
  servers: ServerSettings[];
  /** One line for each problem. The rest of the file is used. */
  problems: string[];
}

export interface SettingsSources {
  /** Where `${VARIABLE}` is looked up. */
  env: Readonly<Record<string, string | undefined>>;
  /** The folder of the file: the base of relative paths, and the default working directory of servers. */
  folder: string;
}

/** Reads the text of an `mcp.json`. Never throws: invalid entries become problems. */
export function readMcpSettings(text: string, sources: SettingsSources): McpSettings {
  const file = parseFile(text);
  if ("problem" in file) return { servers: [], problems: [file.problem] };
  const servers: ServerSettings[] = [];
  const problems: string[] = [];
  for (const [given, entry] of Object.entries(file.servers)) {
    try {
      const server = readServer(given, entry, sources);
      if (!server) continue;
      const twin = servers.some(({ name }) => name === server.name);
      if (twin) throw new Error(`another server is called ${server.name} already`);
      servers.push(server);
    } catch (error) {
      const why = error instanceof Error ? error.message : "it cannot be read";
      problems.push(`The MCP server "${given.slice(0, 100)}" is not started: ${why}.`);
    }
  }
  return { servers, problems };
}

function parseFile(text: string): { servers: Record<string, unknown> } | { problem: string } {
  const parsed = parseJson(text);
  // Its text may hold secrets.
  if (parsed === undefined) return { problem: "The file of MCP servers is not JSON, so none is started." };
  const file = z.object({ mcpServers: z.record(z.string(), z.unknown()).default({}) }).safeParse(parsed);
  return file.success
    ? { servers: file.data.mcpServers }
    : { problem: 'The file of MCP servers needs an object "mcpServers", so none is started.' };
}

function readServer(
  given: string,
  entry: unknown,
  { env, folder }: SettingsSources,
): ServerSettings | undefined {
  const name = toolPrefix(given);
  const isRemote = typeof entry === "object" && entry !== null && "url" in entry;
  if (isRemote) {
    const { disabled, url, headers, type, oauth, auth, ...rest } = parseEntry(remote, entry);
    if (disabled) return undefined;
    const address = expand(url, env);
    if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
      throw new Error("url: an http or https address is needed");
    const transport = type === "sse" ? "sse" : "http";
    return {
      ...rest,
      name,
      kind: "remote",
      url: address,
      headers: expandAll(headers, env),
      transport,
      oauth: readOAuthSettings(oauth ?? auth, (text) => expand(text, env), folder),
    };
  }
  const { disabled, command, args, env: own, cwd, ...rest } = parseEntry(local, entry);
  if (disabled) return undefined;
  const place = cwd === undefined ? folder : expand(cwd, env);
  return {
    ...rest,
    name,
    kind: "local",
    command: expand(command, env),
    args: args.map((argument) => expand(argument, env)),
    env: expandAll(own, env),
    cwd: isAbsolute(place) ? place : resolve(folder, place),
  };
}

function parseEntry<Schema extends z.ZodType>(schema: Schema, entry: unknown): z.output<Schema> {
  const parsed = schema.safeParse(entry);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${issue?.path.join(".") || "it"}: ${issue?.message ?? "is not valid"}`);
}

/** Turns a server's name into a valid tool prefix. */
function toolPrefix(given: string): string {
  const name = given.trim().replace(/[^A-Za-z0-9_-]+/g, "_");
  if (!/^[A-Za-z][\w-]{0,39}$/.test(name))
    throw new Error("its name must begin with a letter and have at most 40 letters, digits, - and _");
  if (OURS.has(name)) throw new Error("its name would make its tools look like ours");
  return name;
}

/** Replaces `${NAME}` and `${NAME:-default}`. */
function expand(text: string, env: SettingsSources["env"]): string {
  return text.replace(
    /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise?: string) => {
      const value = (Object.hasOwn(env, name) ? env[name] : undefined) ?? otherwise;
      if (value === undefined) throw new Error(`the variable ${name} is not set`);
      return value;
    },
  );
}

function expandAll(texts: Record<string, string>, env: SettingsSources["env"]): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, expand(text, env)]));
}
