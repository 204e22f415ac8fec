import type { Compaction } from "../../protocol/context.ts";
import type { Usage } from "../../protocol/model.ts";
import type { ConversationState } from "./conversation.ts";

/** How full the model's window is with this conversation. */
interface Fill {
  used: number;
  window: number;
}

/** Returns how full the window was after the last step, or undefined where no model has said it. */
export function fillOf({ live, messages }: ConversationState): Fill | undefined {
  const last = messages.findLast(({ role }) => role === "assistant");
  const compacted = live ? undefined : last?.compacted;
  return (
    fillFrom(live?.state.usage) ?? fillFrom(last?.usage, compacted) ?? fillFrom(last?.state?.usage, compacted)
  );
}

function fillFrom(usage: Usage | undefined, compacted?: Compaction): Fill | undefined {
  const { contextTokens, contextWindow } = usage ?? {};
  if (!contextTokens || !contextWindow) return undefined;
  return { used: Math.min(compacted?.tokensAfter ?? contextTokens, contextWindow), window: contextWindow };
}

/** Returns how often the messages on the screen were shortened for the model. */
export function countCompactions({ messages }: ConversationState): number {
  let count = 0;
  for (const { compacted, state } of messages) {
    if (compacted) count++;
    for (const { event } of state?.notices ?? []) if (event.type === "context_compacted") count++;
  }
  return count;
}
