import { t } from "../text/t.ts";
import { conversation } from "./conversation.ts";
import { attempt, notify } from "./notices.ts";
import { reopenSession } from "./open-session.ts";
import { chat } from "./server.ts";

/** Summarizes the open conversation, then asks once more. */
export async function summarizeAndAsk(ask: () => void): Promise<void> {
  const { sessionId } = conversation.getState();
  if (sessionId !== undefined && (await attempt(() => summarize(sessionId)))) ask();
}

/** Summarizes the older messages of a session now. `focus` says what matters. */
export async function summarize(sessionId: string, focus?: string): Promise<void> {
  notify({ text: t("compacting") });
  const { messages } = await chat.compact(sessionId, focus ? { focus } : {});
  if (messages === 0) notify({ text: t("nothingToCompact") });
  else if (conversation.getState().sessionId === sessionId) await reopenSession();
}
