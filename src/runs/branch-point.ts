import { Failure } from "../protocol/failure.ts";
import type { Store, StoredMessage } from "../protocol/store.ts";
import type { TurnRequest } from "../protocol/turns.ts";

/** Where in a session a turn goes on, where that is not the end of the branch that is shown. */
export interface BranchPoint {
  /** The message that the person's comes after, or that is answered once more; null for the very beginning. */
  parentId?: string | null;
  /** The answers that there are already, where one is given once more. */
  siblings?: string[];
}

/** The place that a request names in a session. Throws where there is no such message, or none that can be gone on from. */
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
  // Conversations that were brought along may hold questions that nobody answered.
  const messages = await store.listAllMessages(sessionId);
  if (messages.some((one) => one.role === "user" && one.parentId === parentId)) return { parentId };
  throw new Failure(
    "INVALID_INPUT",
    "parentId must name an answer, or be null for the very beginning: a message comes after an answer.",
  );
}

async function messageIn(store: Store, sessionId: string, id: string): Promise<StoredMessage> {
  const message = await store.getMessage(id);
  // Whether somebody else has a message of this id is nobody's business.
  if (message?.sessionId === sessionId) return message;
  throw noSuchMessage();
}

/** What is said of a message that is not in the session, whoever's it is. */
export function noSuchMessage(): Failure {
  return new Failure("NOT_FOUND", "There is no such message in this session.");
}
