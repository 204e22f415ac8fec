import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { PastResults } from "../../../protocol/past-results.ts";
import type { Principal } from "../../../protocol/principal.ts";
import { createOpenCalls } from "./open-calls.ts";
import { createMcpServer, type McpDependencies } from "./server.ts";
import { createTaskKeeper } from "./tasks.ts";

/** Serves what we offer over standard input and output, until the input ends or the signal aborts. */
export async function serveOverStdio(
  parts: McpDependencies,
  principal: Principal,
  signal: AbortSignal,
  onProblem: (line: string) => void,
): Promise<void> {
  const pastResults = new PastResults();
  const openCalls = createOpenCalls(parts.stateKey, parts.hide);
  const taskKeeper = createTaskKeeper(parts);
  const stops: (() => void)[] = [];
  const handle = serveStdio(
    ({ era }) => {
      const { server, announceChanges } = createMcpServer(parts, {
        principal,
        pastResults,
        openCalls,
        taskKeeper,
        modern: era === "modern",
        gone: signal,
      });
      stops.push(announceChanges());
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
  await taskKeeper.close();
  openCalls.close();
  await handle.close();
}
