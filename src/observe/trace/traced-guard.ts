import { toFailure } from "../../protocol/failure.ts";
import type { Guard } from "../../protocol/guard.ts";
import type { TraceContext } from "../../protocol/trace-context.ts";
import type { Attributes, Tracer } from "./tracer.ts";

/** Adds a span for each executed call. Model requests of the call become its children. */
export function tracedGuard(
  tracer: Tracer,
  guard: Guard,
  parent: TraceContext | undefined,
  more: Attributes = {},
): Guard {
  return {
    ...guard,
    async execute(call, run) {
      const { name } = call.tool;
      const { toolCallId, sessionId } = call.context;
      const span = tracer.begin(`execute_tool ${name}`, "internal", parent, {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": toolCallId,
        "gen_ai.tool.type": "function",
        ...more,
      });
      const place = { context: span.context, common: { "gen_ai.conversation.id": sessionId } };
      try {
        const output = await tracer.within(place, () => guard.execute(call, run));
        span.end();
        return output;
      } catch (thrown) {
        span.end(toFailure(thrown).code);
        throw thrown;
      }
    },
  };
}
