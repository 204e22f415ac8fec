import {
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const NOT_REACHED = -32_000;

/** Forwards messages between standard input and output and a running Tackle server. */
export async function bridgeStdio(
  url: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const remote = new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } });
  const local = new StdioServerTransport();
  let initializeId: string | number | undefined;

  local.onmessage = (message) => {
    if (isJSONRPCRequest(message) && message.method === "initialize") initializeId = message.id;
    remote.send(message).catch((error: unknown) => {
      if (!isJSONRPCRequest(message)) return;
      const why = error instanceof Error ? error.message : "unknown";
      const failure = { code: NOT_REACHED, message: `The server could not be reached: ${why.slice(0, 300)}` };
      void local.send({ jsonrpc: "2.0", id: message.id, error: failure });
    });
  };
  remote.onmessage = (message) => {
    // Later requests must name the negotiated version.
    if (
      isJSONRPCResultResponse(message) &&
      message.id === initializeId &&
      typeof message.result.protocolVersion === "string"
    )
      remote.setProtocolVersion(message.result.protocolVersion);
    void local.send(message);
  };
  const ended = new Promise<void>((resolve) => {
    local.onclose = resolve;
    process.stdin.once("end", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await remote.start();
  await local.start();
  await ended;
  await remote.terminateSession().catch(() => undefined); // The server ends idle sessions itself.
  await remote.close();
  await local.close();
}
