import { Failure } from "../protocol/failure.ts";
import type { Feedback } from "../protocol/feedback.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";
import { ownSession } from "./ownership.ts";

/** Keeps what a person thinks of an answer; undefined forgets it. Throws NOT_FOUND or FORBIDDEN. */
export async function giveFeedback(
  store: Store,
  principal: Principal,
  messageId: string,
  feedback: Feedback | undefined,
): Promise<void> {
  const message = await store.getMessage(messageId);
  if (!message) throw new Failure("NOT_FOUND", "There is no such message.");
  await ownSession(store, principal, message.sessionId);
  if (message.role !== "assistant")
    throw new Failure("INVALID_INPUT", "Only answers can be rated. This message is your own.");
  const { id: userId } = principal;
  if (!feedback) await store.removeFeedback(messageId, userId);
  else await store.saveFeedback({ messageId, userId, model: message.model ?? "", ...feedbackFrom(feedback) });
}

/** Returns the value, and the note if there is one. */
export function feedbackFrom({ value, note }: Feedback): Feedback {
  return note ? { value, note } : { value };
}
