/** A range of found words, in UTF-16 units of the text that it is beside. */
export interface Highlight {
  start: number;
  end: number;
}

/** Something that a search has found, with the place to jump to. */
export interface SearchHit {
  kind: "conversation" | "message" | "artifact" | "file";
  /** The conversation that it is in. Missing for artifacts and files that belong to none. */
  sessionId?: string;
  messageId?: string;
  artifactId?: string;
  fileId?: string;
  /** The signed address of the file. */
  url?: string;
  role?: "user" | "assistant";
  /** The title of the conversation or artifact, or the name of the file. */
  title: string;
  titleHighlights: Highlight[];
  /** One line of the message or artifact around the found words. */
  snippet?: string;
  highlights?: Highlight[];
  /** The message is in a version of the conversation that is not shown. */
  otherBranch?: true;
  archived?: true;
  /** The project that the conversation is in. */
  project?: { id: string; name: string };
  at: string;
}

export interface SearchAnswer {
  /** The best first. */
  results: SearchHit[];
  /** False while texts from before an upgrade, or of a large import, are still being indexed. */
  complete: boolean;
}

export interface SearchOptions {
  query: string;
  limit: number;
}
