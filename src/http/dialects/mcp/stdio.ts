import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { PastResults } from "../../../protocol/past-results.ts";
import type { Principal } from "../../../protocol/principal.ts";
import { announceChanges, createMcpServer, type McpDependencies } from "./server.ts";

/** Serves our tools over standard input and output, until the input ends or the signal aborts. */
export async function serveOverStdio(
  parts: McpDependencies,
  principal: Principal,
  signal: AbortSignal,
  onProblem: (line: string) => void,
): Promise<void> {
  const pastResults = new PastResults();
  const stops: (() => void)[] = [];
  const handle = serveStdio(
    () => {
      const server = createMcpServer(parts, { principal, pastResults, gone: signal });
      stops.push(announceChanges(parts, server));
      return server;
    },
    { onerror: (error) => onProblem(`A message over MCP could not be handled: ${error.message}`) },
  );
  await new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  for (const stop of stops) stop();
  await handle.close();
}
