import { withoutFrame } from "../loop/summary.ts";
import type { SessionSummary } from "../protocol/context.ts";
import type { Store } from "../protocol/store.ts";

/** Returns the summaries that stand for older messages of the shown branch, oldest first. */
export async function summariesOf(store: Store, sessionId: string): Promise<SessionSummary[]> {
  const summaries: SessionSummary[] = [];
  let before = "";
  for (const { at: createdAt, view, compaction } of await store.listContexts(sessionId)) {
    // A change that only leaves out old results keeps the summary before it.
    if (!view.summary || view.summary.text === before) continue;
    before = view.summary.text;
    const { tokensBefore, tokensAfter, reason } = compaction;
    const { messages } = view.summary;
    summaries.push({ createdAt, messages, tokensBefore, tokensAfter, reason, text: withoutFrame(before) });
  }
  return summaries;
}
