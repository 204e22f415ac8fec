import type { JsonObject } from "./json.ts";
import type { RecalledTurn } from "./turns.ts";

/** An item that a client has put into a conversation. */
export interface NewItem {
  id: string;
  item: JsonObject;
}

/** The same, as it is stored. Without `item`, it says that an item of a turn was removed. */
export interface StoredItem {
  id: string;
  item?: JsonObject;
  at: string;
}

/** How much a conversation may hold of what its client puts there. */
export interface ItemBounds {
  items: number;
  bytes: number;
}

/** What clients keep with a session: items of their own, and what they note about it. */
export interface ConversationRows {
  /** Replaces what a client notes about the session. */
  saveConversation(sessionId: string, metadata: JsonObject): Promise<void>;
  /** Returns what a client notes about the session. Undefined if it never did. */
  loadConversation(sessionId: string): Promise<JsonObject | undefined>;
  /** Adds items, all or none. Returns false if there would be more than allowed. */
  addItems(sessionId: string, items: readonly NewItem[], most: ItemBounds): Promise<boolean>;
  /** In the order in which they were added. */
  listItems(sessionId: string): Promise<StoredItem[]>;
  /** Deletes an item of a client's. Any other is noted as removed. */
  removeItem(sessionId: string, id: string): Promise<void>;
}

/** A session as a client of another protocol sees it. */
export interface Conversation {
  id: string;
  sessionId: string;
  createdAt: string;
  metadata: JsonObject;
}

/** A part of a conversation: an item that the client has put there, or a turn. */
export type ConversationEntry = NewItem | { turn: RecalledTurn };

/** The conversations of one person. Methods throw `Failure`. */
export interface Conversations {
  /** Throws STORAGE_FULL. */
  create(metadata: JsonObject, items: readonly NewItem[]): Promise<Conversation>;
  /** Undefined if there is no such conversation, or it belongs to somebody else. */
  find(id: string): Promise<Conversation | undefined>;
  update(conversation: Conversation, metadata: JsonObject): Promise<void>;
  /** Deletes the conversation with its session. */
  remove(conversation: Conversation): Promise<void>;
  /** Throws STORAGE_FULL. */
  add(conversation: Conversation, items: readonly NewItem[]): Promise<void>;
  /** True if its client has put items there or removed some, so that it is not only what was said in its session. */
  isEdited(conversation: Conversation): Promise<boolean>;
  /** In order, with the ids of items that were removed from turns. Turns that are not over yet are left out. */
  entries(
    conversation: Conversation,
  ): Promise<{ entries: ConversationEntry[]; removed: ReadonlySet<string> }>;
  removeItem(conversation: Conversation, itemId: string): Promise<void>;
}
