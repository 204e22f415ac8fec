import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Principal } from "../../../protocol/principal.ts";
import { Memory } from "../../../protocol/result-memory.ts";
import { announceChanges, createDoorServer, type DoorParts } from "./server.ts";

/** Serves our tools over this process's standard input and output, until the input ends or the signal aborts. */
export async function serveOverStdio(
  parts: DoorParts,
  principal: Principal,
  signal: AbortSignal,
  onProblem: (line: string) => void,
): Promise<void> {
  const memory = new Memory();
  const stops: (() => void)[] = [];
  const handle = serveStdio(
    () => {
      const server = createDoorServer(parts, { principal, memory, gone: signal });
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
