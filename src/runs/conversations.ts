import { byteSize } from "../protocol/byte-size.ts";
import type { Conversation, ConversationEntry, Conversations, NewItem } from "../protocol/conversations.ts";
import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Session } from "../protocol/sessions.ts";
import type { RecalledTurn } from "../protocol/turns.ts";
import { type ErasureParts, eraseSession } from "./erase-session.ts";
import { checkGuestSessions } from "./guest-sessions.ts";
import { newId } from "./ids.ts";
import { findSession } from "./ownership.ts";
import { UNTITLED } from "./title.ts";

const BOUNDS = {
  guest: { items: 500, bytes: 250 * 1024 },
  account: { items: 20_000, bytes: 20 * 1024 * 1024 },
};

/**
 * The conversations of one person. A conversation is a session, so it is listed, kept and erased like one. Only what its
 * client puts there is stored apart; the rest is what its turns have recorded.
 */
export function createConversations(
  parts: ErasureParts,
  principal: Principal,
  recall: (runId: string) => Promise<RecalledTurn | undefined>,
): Conversations {
  const { store } = parts;
  const most = principal.kind === "guest" ? BOUNDS.guest : BOUNDS.account;

  async function toConversation({ id: sessionId, name, createdAt }: Session): Promise<Conversation> {
    const metadata = (await store.loadConversation(sessionId)) ?? {};
    return { id: name ?? sessionId, sessionId, createdAt, metadata };
  }

  async function add(
    { sessionId }: Pick<Conversation, "sessionId">,
    items: readonly NewItem[],
  ): Promise<void> {
    if (items.length === 0 || (await store.addItems(sessionId, items, most))) return;
    throw new Failure(
      "STORAGE_FULL",
      `A conversation can hold ${most.items} items of a client's, and ${byteSize(most.bytes)} of them.`,
    );
  }

  return {
    async create(metadata, items) {
      await checkGuestSessions(store, principal);
      const named = { id: newId("ses"), userId: principal.id, title: UNTITLED, name: newId("conv") };
      const session = await store.createSession(named);
      await store.saveConversation(session.id, metadata);
      try {
        await add({ sessionId: session.id }, items);
      } catch (thrown) {
        await store.deleteSession(session.id);
        throw thrown;
      }
      await store.tellAccount(principal.id, {
        type: "session_created",
        sessionId: session.id,
        title: UNTITLED,
      });
      return toConversation(session);
    },
    async find(id) {
      try {
        const session = await findSession(store, principal, id);
        return session && (await toConversation(session));
      } catch (thrown) {
        if (thrown instanceof Failure && (thrown.status === 403 || thrown.status === 404)) return undefined;
        throw thrown;
      }
    },
    update: ({ sessionId }, metadata) => store.saveConversation(sessionId, metadata),
    async remove({ sessionId }) {
      const session = await store.getSession(sessionId);
      if (session) await eraseSession(parts, principal, session);
    },
    add,
    isEdited: async ({ sessionId }) => (await store.listItems(sessionId)).length > 0,
    async entries({ sessionId }) {
      const stored = await store.listItems(sessionId);
      const removed = new Set(stored.flatMap(({ id, item }) => (item ? [] : [id])));
      const timed: { at: string; entry: ConversationEntry }[] = stored.flatMap(({ id, item, at }) =>
        item ? [{ at, entry: { id, item } }] : [],
      );
      const answers = (await store.listMessages(sessionId)).filter(({ role }) => role === "assistant");
      for (const turn of await Promise.all(answers.map(({ runId }) => runId && recall(runId))))
        if (turn) timed.push({ at: turn.createdAt, entry: { turn } });
      // Stable: an item that came in the same millisecond as a turn is before it.
      timed.sort((left, right) => (left.at < right.at ? -1 : left.at > right.at ? 1 : 0));
      return { entries: timed.map(({ entry }) => entry), removed };
    },
    removeItem: ({ sessionId }, itemId) => store.removeItem(sessionId, itemId),
  };
}
