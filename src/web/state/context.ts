import type { Compaction } from "../../protocol/context.ts";
import type { Usage } from "../../protocol/model.ts";
import type { ConversationState } from "./conversation.ts";

/** How full the model's window is with this conversation. */
interface Fill {
  used: number;
  window: number;
}

/** Older messages that were summarized, and when. */
export interface Summarized extends Compaction {
  at: string;
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

/** Returns what was summarized in the messages on the screen, oldest first. */
export function summariesOf({ messages }: ConversationState): Summarized[] {
  return messages.flatMap(({ createdAt: at, compacted, state }) => [
    ...(state?.notices ?? []).flatMap(({ event }) =>
      event.type === "context_compacted" ? [{ ...event, at }] : [],
    ),
    ...(compacted ? [{ ...compacted, at }] : []),
  ]);
}
