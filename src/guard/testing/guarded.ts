import { z } from "zod";
import { defineTool, type ToolDefinition } from "../../protocol/define-tool.ts";
import type { Guard, Situation } from "../../protocol/guard.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { Tool, ToolContext } from "../../protocol/tool.ts";

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

/** Nothing was read yet, and the person has said nothing. */
export const nothing: Situation = {
  outside: [],
  workspace: [],
  privateReads: [],
  suspicious: [],
  personTexts: [],
};

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
