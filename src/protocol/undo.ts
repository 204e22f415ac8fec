import type { Json } from "./json.ts";

/** A change that a tool is about to make. */
export interface UndoEntry {
  /** One plain line for the person: `write notes.txt`. */
  summary: string;
  /** False if the change is only recorded and cannot be undone. */
  reversible: boolean;
  /** What the tool needs to undo it. Only the tool reads it. */
  data: Json;
}

/** The journal of one call's changes. */
export interface UndoJournal {
  /** Stores the previous content and returns the key to load it by. */
  keep(bytes: Uint8Array): Promise<string>;
  load(key: string): Promise<Uint8Array>;
  /** Stored when it resolves. Called before the change is made, so an entry may describe a change that never happened. */
  record(entry: UndoEntry): Promise<void>;
}

/** A change that a tool made, or was about to make, in a session. */
export interface Change extends UndoEntry {
  id: number;
  /** The run that made it. Changes of earlier versions have none. */
  runId?: string;
  toolCallId: string;
  toolName: string;
  at: string;
}
