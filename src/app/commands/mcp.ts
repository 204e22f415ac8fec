import type { CommandLine } from "../../terminal/arguments.ts";
import { LOCAL_OWNER, openTackle, token } from "./open-tackle.ts";

/** Serves MCP on standard input and output. Nothing else may be written there. */
export async function run(line: CommandLine): Promise<number> {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  if (line.server !== undefined) {
    const { bridgeStdio } = await import("../../http/dialects/mcp/bridge.ts");
    await bridgeStdio(line.server, token().token, stop.signal);
    return 0;
  }
  // Do not open the current directory: another program started us there, and its model should not get it.
  const tackle = await openTackle(line, false);
  try {
    const { serveOverStdio } = await import("../../http/dialects/mcp/stdio.ts");
    const { mcpDependencies } = await import("../mcp-endpoint.ts");
    await serveOverStdio(mcpDependencies(tackle), LOCAL_OWNER, stop.signal, (text) => tackle.log.warn(text));
    return 0;
  } finally {
    await tackle.close();
  }
}
