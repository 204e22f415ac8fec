import { t } from "../text/t.ts";
import { attempt, notify } from "./notices.ts";
import { chat } from "./server.ts";

/** Takes back what an answer has changed, or without one the whole conversation, and says how much that was. */
export async function rollBack(sessionId: string, runId?: string): Promise<void> {
  await attempt(async () => {
    const { undone, notUndone } = await chat.rollbackSession(sessionId, runId === undefined ? {} : { runId });
    const sentences = [t("rollbackDone", { count: undone.length })];
    if (notUndone.length > 0) sentences.push(t("rollbackKept", { count: notUndone.length }));
    notify({ text: sentences.join(" ") });
  });
}
