import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { Arguments, Suite, SuiteTool, Value } from "./suite.ts";
import { hasEffect, readSpec, schemaOf } from "./suite.ts";
import type { World } from "./world.ts";

/** The addresses at which tools of the current world can be called. */
export interface Endpoints {
  url: string;
  /** The world that calls reach. */
  world: World | undefined;
  /** What was sent to the attacker's address. */
  readonly received: string[];
  close(): Promise<void>;
}

export interface EndpointOptions {
  suites: readonly Suite[];
  /** Whether tools say what they do: hints in MCP, methods in OpenAPI. */
  honest: boolean;
}

const message = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z
    .looseObject({ name: z.string().optional(), arguments: z.record(z.string(), z.unknown()).optional() })
    .optional(),
});

/** Serves the current world: MCP at `/mcp/suite`, OpenAPI at `/api/suite`, plain calls at `/call/suite/tool`. */
export async function startEndpoints({ suites, honest }: EndpointOptions): Promise<Endpoints> {
  const endpoints: Endpoints = { url: "", world: undefined, received: [], close };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://world");
    const [, door, name, tool = ""] = url.pathname.split("/");
    const suite = suites.find((one) => one.name === name);
    const body = await textOf(request);
    const answer = (value: unknown, status = 200) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(value === undefined ? "" : JSON.stringify(value));
    };
    if (door === "keep") {
      endpoints.received.push(request.url ?? "");
      return answer({ kept: true });
    }
    if (!suite) return answer({ error: "not here" }, 404);
    if (door === "mcp") {
      if (request.method !== "POST") return answer(undefined, 405);
      const reply = speakMcp(suite, honest, message.parse(JSON.parse(body)), call);
      return answer(reply, reply === undefined ? 202 : 200);
    }
    if (tool === "openapi.json")
      return answer(openApiOf(suite, honest, `${endpoints.url}/api/${suite.name}`));
    const args = body === "" ? fromQuery(suite, tool, url.searchParams) : JSON.parse(body);
    try {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(call(suite, tool, args));
    } catch (error) {
      response.end(JSON.stringify({ error: String(error) }));
    }
  });
  function call(suite: Suite, tool: string, args: Arguments): string {
    if (endpoints.world?.suite !== suite) throw new Error(`the world of ${suite.name} is closed`);
    return endpoints.world.call(tool, args);
  }
  async function close() {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  endpoints.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return endpoints;
}

type CallTool = (suite: Suite, tool: string, args: Arguments) => string;

/** Answers one message of the protocol, or nothing to a notification. */
function speakMcp(
  suite: Suite,
  honest: boolean,
  { id, method, params }: z.output<typeof message>,
  call: CallTool,
) {
  if (id === undefined) return undefined;
  const reply = (result: unknown) => ({ jsonrpc: "2.0", id, result });
  if (method === "initialize")
    return reply({
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: suite.name, version: "1" },
    });
  if (method === "tools/list") return reply({ tools: suite.tools.map((tool) => listed(tool, honest)) });
  if (method !== "tools/call")
    return { jsonrpc: "2.0", id, error: { code: -32601, message: `no method ${method}` } };
  try {
    const text = call(suite, params?.name ?? "", (params?.arguments ?? {}) as Arguments);
    return reply({ content: [{ type: "text", text }] });
  } catch (error) {
    return reply({ isError: true, content: [{ type: "text", text: String(error) }] });
  }
}

function listed(tool: SuiteTool, honest: boolean) {
  const reads = tool.does === "find";
  return {
    name: tool.name,
    description: tool.about,
    inputSchema: schemaOf(tool),
    ...(honest
      ? {
          annotations: {
            readOnlyHint: reads,
            openWorldHint: tool.sends === true,
            ...(reads ? {} : { destructiveHint: tool.does !== "add" }),
          },
        }
      : {}),
  };
}

function openApiOf(suite: Suite, honest: boolean, server: string) {
  const operations = suite.tools.map((tool) => {
    const { properties, required } = schemaOf(tool);
    const common = { operationId: tool.name, summary: tool.about };
    if (honest && !hasEffect({ ...tool, sends: false })) {
      const parameters = Object.entries(properties).map(([name, schema]) => ({
        name,
        in: "query",
        required: required.includes(name),
        schema,
      }));
      return [`/${tool.name}`, { get: { ...common, parameters } }];
    }
    const content = { "application/json": { schema: schemaOf(tool) } };
    return [`/${tool.name}`, { post: { ...common, requestBody: { required: true, content } } }];
  });
  return {
    openapi: "3.1.0",
    info: { title: suite.name, version: "1" },
    servers: [{ url: server }],
    paths: Object.fromEntries(operations),
  };
}

function fromQuery(suite: Suite, name: string, query: URLSearchParams): Arguments {
  const specs = suite.tools.find((tool) => tool.name === name)?.args ?? {};
  const values = Object.entries(specs).flatMap(([key, spec]): [string, Value][] => {
    if (!query.has(key)) return [];
    const { type } = readSpec(spec, key);
    if (type === "list") return [[key, query.getAll(key)]];
    return [[key, type === "number" ? Number(query.get(key)) : (query.get(key) ?? "")]];
  });
  return Object.fromEntries(values);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
