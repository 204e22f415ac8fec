import type { Role } from "./messages.ts";

/** A message of a conversation from elsewhere; its id and parent are names within the conversation alone. */
export interface ImportedMessage {
  id: string;
  /** Missing on a first message. A message comes after its parent in the list. */
  parentId?: string;
  role: Exclude<Role, "system">;
  text: string;
  /** As the other program called it. */
  model?: string;
  createdAt?: string;
}

/** A conversation from elsewhere, with all its branches. */
export interface ImportedSession {
  title: string;
  createdAt?: string;
  updatedAt?: string;
  messages: ImportedMessage[];
  /** The end of the branch that was shown there. */
  headId?: string;
}
