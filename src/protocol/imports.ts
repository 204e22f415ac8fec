import type { Role } from "./messages.ts";
import type { ModelParameters } from "./projects.ts";

/** A message of an imported conversation. Its id and parent are valid only within the conversation. */
export interface ImportedMessage {
  id: string;
  /** Missing on a first message. Parents come first in the list. */
  parentId?: string;
  role: Exclude<Role, "system">;
  text: string;
  /** The other program's name for it. */
  model?: string;
  createdAt?: string;
}

/** An imported conversation with all its branches. */
export interface ImportedSession {
  title: string;
  createdAt?: string;
  updatedAt?: string;
  parameters?: ModelParameters;
  messages: ImportedMessage[];
  /** The last message of the branch that was shown there. */
  headId?: string;
}
