import type { FinishReason } from "./events.ts";
import type { Message } from "./messages.ts";
import type { Usage } from "./model.ts";
import type { ModelParameters } from "./projects.ts";
import type { RunState } from "./reduce.ts";

export interface Session {
  id: string;
  userId: string;
  title: string;
  /** Who chose the title. Missing for the first words of the first message. */
  titledBy?: "model" | "person";
  /** The id that the user made up for it, if it was created that way. */
  name?: string;
  createdAt: string;
  updatedAt: string;
  /** The newest message of the branch that is shown; missing in an empty session. */
  headId?: string;
  /** The project that it is in. */
  projectId?: string;
  /** How its messages are answered, unless a request says otherwise. What is missing is up to the project and the model. */
  parameters?: ModelParameters;
  /** How its newest message begins. Only in the list of a project. */
  preview?: string;
  /** Kept at the top of the list. */
  pinned?: true;
  /** Kept out of the list, but not deleted. */
  archived?: true;
  /** Not listed and not searched, and deleted soon after its last use. */
  temporary?: true;
  /** A temporary fork in which another model answers. It knows what the conversation knows, and is deleted after a day. */
  compared?: true;
  /** The active run, which a reloaded client follows. */
  activeRunId?: string;
  /** The active run waits for a person to decide on a call. */
  waiting?: true;
}

export interface CreatedSession extends Pick<Session, "id" | "userId" | "title" | "titledBy" | "name"> {
  projectId?: string | undefined;
  parameters?: ModelParameters | undefined;
  /** The folder that it works in, if it was begun in a terminal. Only used to list it: no answer names folders of the host. */
  folder?: string;
  temporary?: boolean;
}

/**
 * Which sessions to list; with `pinned`, only those, with `folder`, only those that were begun there, and with `projectId`, only
 * those of a project, or of `none`. With `waiting`, those in which a person has to decide or answer. Archived ones are listed with
 * `archived` alone. `query` searches titles and texts.
 */
export interface SessionPage {
  limit?: number;
  before?: string;
  query?: string;
  pinned?: boolean;
  waiting?: boolean;
  archived?: boolean;
  folder?: string;
  projectId?: string | undefined;
}

/** An imported conversation; parents come before their children. */
export interface NewSession {
  id: string;
  userId: string;
  title: string;
  createdAt?: string;
  updatedAt?: string;
  temporary?: boolean;
  compared?: boolean;
  messages: (Pick<StoredMessage, "id" | "parentId" | "role" | "parts" | "model" | "state"> & {
    createdAt?: string;
  })[];
  headId?: string;
  /** Files that it uses besides those that are made in it. */
  files?: readonly string[];
  /** Artifacts of another session that it gets its own copies of. */
  artifacts?: readonly ArtifactCopy[];
}

/** A copy of an artifact with the versions up to one, and those that its owner saved by hand right after. */
export interface ArtifactCopy {
  id: string;
  copyOf: string;
  /** Whom the original belongs to. Nothing is copied if it belongs to somebody else. */
  ownerId: string;
  version: number;
}

/** A stored message: `parts` are sent to the model again, `state` is what the person saw. */
export interface StoredMessage extends Message {
  sessionId: string;
  /** The message before it; missing on the first. */
  parentId?: string;
  /** All messages with the same parent, in order, including an answer in progress; missing if there is only one. */
  siblings?: string[];
  runId?: string;
  createdAt: string;
  finishReason?: FinishReason;
  usage?: Usage;
  /** The folded run of an assistant message, so that a finished answer looks as it did while it ran. */
  state?: RunState;
}

export interface MessagePage {
  limit?: number;
  before?: string;
  upTo?: string;
  /** Leaves out what comes before this message. */
  from?: string;
  /** Leaves out `siblings`, and may return what was read before, so it must not be changed. */
  shared?: true;
}
