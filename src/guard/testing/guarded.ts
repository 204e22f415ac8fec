import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { defineTool, type ToolDefinition } from "../../protocol/define-tool.ts";
import type { Guard } from "../../protocol/guard.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { Tool, ToolContext } from "../../protocol/tool.ts";
import { writeEmptyDatabase } from "../../store/testing/empty.ts";

/** A clock that moves only when told to. */
export function handClock(start = Date.parse("2026-01-01T00:00:00Z")) {
  let time = start;
  return {
    now: () => time,
    advance(milliseconds: number) {
      time += milliseconds;
    },
  };
}

/** A database file in a folder that can be removed. */
export async function temporaryDatabase(): Promise<{ path: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "tackle-guard-"));
  const path = join(folder, "tackle.db");
  await writeEmptyDatabase(path);
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A tool that says "done" by default. */
export function exampleTool(name: string, change: Partial<ToolDefinition<z.ZodObject>> = {}): Tool {
  return defineTool({
    name,
    description: `The tool ${name}.`,
    effect: "none",
    retry: "pure",
    input: z.object({ host: z.string().optional() }),
    run: () => "done",
    ...change,
  });
}

/** The context of a call by this person. */
export function contextOf(principal: Principal, change: Partial<ToolContext> = {}): ToolContext {
  return {
    toolCallId: "call_1",
    principal,
    sessionId: undefined,
    runId: undefined,
    requestId: "req_1",
    idempotencyKey: "call_1",
    signal: new AbortController().signal,
    roots: [],
    now: () => new Date(),
    progress: () => {},
    show: () => {},
    ...change,
  };
}

/** Takes a call through all layers, as the loop does. */
export async function callThrough(
  guard: Guard,
  tool: Tool,
  context: ToolContext,
  sent: unknown = {},
): Promise<string> {
  const args = await guard.admit({ tool, args: sent, context });
  const { output } = await guard.execute({ tool, args, context }, (signal) =>
    tool.run(args, { ...context, signal }),
  );
  return output;
}
