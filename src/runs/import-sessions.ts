import { contentDelta } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import type { ImportedMessage, ImportedSession } from "../protocol/imports.ts";
import type { Principal } from "../protocol/principal.ts";
import { type RunState, reduceAll } from "../protocol/reduce.ts";
import type { NewSession, Session } from "../protocol/sessions.ts";
import { pauseIfLong } from "../protocol/slices.ts";
import type { Store } from "../protocol/store.ts";
import { checkGuestSessions } from "./guest-sessions.ts";
import { newId } from "./ids.ts";
import { readConversations } from "./imports/read.ts";

/** Imports the conversations of an export. The whole export is read before anything is written. Throws INVALID_INPUT. */
export async function importSessions(
  store: Store,
  principal: Principal,
  document: unknown,
): Promise<Session[]> {
  const sessions: Session[] = [];
  const conversations = readConversations(document);
  await checkGuestSessions(store, principal, conversations.length);
  for (const conversation of conversations) {
    const { parameters, ...rest } = conversation;
    const made = await store.importSession(toNewSession(rest, principal.id));
    if (parameters) await store.setParameters(made.id, parameters);
    sessions.push(parameters ? { ...made, parameters } : made);
    await pauseIfLong();
  }
  return sessions;
}

/** Replaces foreign ids, so that an import cannot refer to existing data. */
function toNewSession(conversation: Omit<ImportedSession, "parameters">, userId: string): NewSession {
  const { messages, headId, ...facts } = conversation;
  const sessionId = newId("ses");
  const ids = new Map(messages.map((message) => [message.id, newId("msg")]));
  const idOf = (id: string | undefined) => (id === undefined ? undefined : ids.get(id));
  return {
    ...facts,
    id: sessionId,
    userId,
    headId: idOf(headId),
    messages: messages.map((message) => {
      const messageId = idOf(message.id) ?? newId("msg");
      const { role, text, model, createdAt } = message;
      return {
        id: messageId,
        parentId: idOf(message.parentId),
        role,
        parts: [{ type: "text", text, origin: "import" }],
        createdAt,
        model,
        ...(role === "assistant" ? { state: shownAs(message, sessionId, messageId) } : {}),
      };
    }),
  };
}

/** The state that an answer would have if Tackle had given it. */
function shownAs({ text, model = "" }: ImportedMessage, sessionId: string, messageId: string): RunState {
  const events: ChatEvent[] = [
    { type: "session", sessionId, runId: "", messageId, model, title: "" },
    contentDelta(text),
    { type: "done", finishReason: "stop", messageId, iterations: 1, toolCalls: 0 },
  ];
  return reduceAll(events);
}
