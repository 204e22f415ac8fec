import type { ServerProcess } from "./server.ts";

export const TASKS = "io.modelcontextprotocol/tasks";

export interface RpcAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  result?: any;
  error?: { code: number; message: string; data?: unknown };
}

/** Sends one request of revision 2026-07-28, which needs no session. */
export async function mcpRequest(
  { url }: Pick<ServerProcess, "url">,
  method: string,
  params: Record<string, unknown> = {},
  { headers = {}, capabilities = {} }: { headers?: Record<string, string>; capabilities?: object } = {},
): Promise<RpcAnswer> {
  const version = "2026-07-28";
  const name = params.name ?? params.uri ?? params.taskId;
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": version,
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": String(name) }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
  });
  const body = await response.text();
  const messages = body.startsWith("{")
    ? [body]
    : [...body.matchAll(/^data: (.*)$/gm)].map(([, data = "{}"]) => data);
  const last = JSON.parse(messages.findLast((message) => message !== "") ?? "{}");
  return { status: response.status, result: last.result, error: last.error };
}
