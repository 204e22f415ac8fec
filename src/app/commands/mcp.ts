import type { CommandLine } from "../../terminal/arguments.ts";
import { LOCAL_OWNER, openTackle, token } from "./open-tackle.ts";

/** Serves other programs on standard input and output, where nothing but their protocol may be written. */
export async function serveMcp(line: CommandLine): Promise<number> {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  if (line.server !== undefined) {
    const { bridgeStdio } = await import("../../http/dialects/mcp/bridge.ts");
    await bridgeStdio(line.server, token().token, stop.signal);
    return 0;
  }
  // The folder that another program happens to start us in is not one to open to its model.
  const tackle = await openTackle(line, false);
  try {
    const { serveOverStdio } = await import("../../http/dialects/mcp/stdio.ts");
    const { mcpDoorParts } = await import("../mcp-endpoint.ts");
    await serveOverStdio(mcpDoorParts(tackle), LOCAL_OWNER, stop.signal, (text) => tackle.log.warn(text));
    return 0;
  } finally {
    await tackle.close();
  }
}
