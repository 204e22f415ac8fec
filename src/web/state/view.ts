import { create } from "zustand";
import type { TranscriptMessage } from "../../protocol/chat.ts";
import type { Session } from "../../protocol/sessions.ts";

/** A dialog about a conversation, one of its answers or what it made. */
export type Over =
  | { kind: "share" | "tree" | "print"; sessionId: string }
  | { kind: "ask-with" | "compare" | "report"; message: TranscriptMessage }
  | { kind: "share-version"; title: string; version: number; url: string };

interface ViewState {
  /** The call whose artifact is shown beside the chat. */
  artifact?: { toolCallId: string /** Whether the person opened it. */; byPerson?: true };
  /** A page shown instead of the conversation. */
  page?: "administration" | "projects";
  /** The open project, if that page shows one. */
  projectId?: string | undefined;
  dialog?: "palette" | "shortcuts" | "archive" | undefined;
  /** The open section of the settings; empty for the list of sections. */
  settings?: string | undefined;
  /** The vendor whose key the person is about to add. */
  vendor?: string | undefined;
  /** The token of the link with which the first account is created. */
  setupToken?: string | undefined;
  /** A dialog about a conversation. */
  over?: Over | undefined;
  /** The conversation that is about to be moved to a project. */
  moving?: readonly Pick<Session, "id" | "title" | "projectId">[] | undefined;
  /** The conversation that is about to get another title. */
  renaming?: Pick<Session, "id" | "title"> | undefined;
  /** On narrow screens the sidebar covers the chat. */
  drawer: boolean;
}

/** What is open besides the conversation. */
export const view = create<ViewState>(() => ({ drawer: false }));
