import { Failure } from "../protocol/failure.ts";
import type { StoredMessage } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";
import type { TurnRequest } from "../protocol/turns.ts";

/** The place in a session where a turn continues, if that is not the end of the shown branch. */
export interface BranchPoint {
  /** The parent of the person's message, or the message to answer again. Null for the beginning of the session. */
  parentId?: string | null;
  /** The existing answers, if one is regenerated. */
  siblings?: string[];
}

/** Finds the place that a request names. Throws if there is no such message, or the turn cannot continue there. */
export async function branchPoint(
  store: Store,
  sessionId: string,
  { regenerate, parentId }: TurnRequest,
): Promise<BranchPoint> {
  if (regenerate !== undefined) {
    const { id, role, parentId, siblings = [id] } = await messageIn(store, sessionId, regenerate);
    const question = parentId === undefined ? undefined : await store.getMessage(parentId);
    if (role === "assistant" && question?.role === "user") return { parentId, siblings };
    throw new Failure(
      "INVALID_INPUT",
      "regenerate must name an answer to a message. To ask something else, send a message with the parentId of what it comes after.",
    );
  }
  if (parentId === undefined || parentId === null) return { parentId };
  if ((await messageIn(store, sessionId, parentId)).role === "assistant") return { parentId };
  // Imported conversations may contain questions without an answer.
  const messages = await store.listAllMessages(sessionId);
  if (messages.some((one) => one.role === "user" && one.parentId === parentId)) return { parentId };
  throw new Failure(
    "INVALID_INPUT",
    "parentId must name an answer, or be null for the very beginning: a message comes after an answer.",
  );
}

async function messageIn(store: Store, sessionId: string, id: string): Promise<StoredMessage> {
  const message = await store.getMessage(id);
  // The answer must not reveal whether another session has this message.
  if (message?.sessionId === sessionId) return message;
  throw noSuchMessage();
}

/** The failure for a message that is not in the session. It is the same for other people's sessions. */
export function noSuchMessage(): Failure {
  return new Failure("NOT_FOUND", "There is no such message in this session.");
}
