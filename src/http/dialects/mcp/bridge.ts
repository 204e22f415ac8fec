import {
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const NOT_REACHED = -32_000;

/** Hands messages between this process's standard input and output and a server of ours that runs already. */
export async function bridgeStdio(
  url: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const there = new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } });
  const here = new StdioServerTransport();
  let greeting: string | number | undefined;

  here.onmessage = (message) => {
    if (isJSONRPCRequest(message) && message.method === "initialize") greeting = message.id;
    there.send(message).catch((error: unknown) => {
      if (!isJSONRPCRequest(message)) return;
      const why = error instanceof Error ? error.message : "unknown";
      const failure = { code: NOT_REACHED, message: `The server could not be reached: ${why.slice(0, 300)}` };
      void here.send({ jsonrpc: "2.0", id: message.id, error: failure });
    });
  };
  there.onmessage = (message) => {
    // From here on each request has to say which version was agreed on.
    if (
      isJSONRPCResultResponse(message) &&
      message.id === greeting &&
      typeof message.result.protocolVersion === "string"
    )
      there.setProtocolVersion(message.result.protocolVersion);
    void here.send(message);
  };
  const ended = new Promise<void>((resolve) => {
    here.onclose = resolve;
    process.stdin.once("end", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await there.start();
  await here.start();
  await ended;
  await there.terminateSession().catch(() => undefined); // The server ends it by itself after a while.
  await there.close();
  await here.close();
}
