import { create } from "zustand";
import type { TranscriptMessage } from "../../protocol/chat.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { ModelParameters } from "../../protocol/projects.ts";
import { emptyRun, type RunState } from "../../protocol/reduce.ts";

/** The answer that is being written. */
export interface LiveRun {
  /** Known once the server has opened the run. */
  runId?: string;
  state: RunState;
  seq: number;
  startedAt: number;
  stopping: boolean;
  /** When the last event came. */
  heardAt?: number;
  /** Calls that the person has decided on here. They may still have to wait for their turn. */
  decided?: string[];
  /** The connection was lost for good. The run may still be going on. */
  lost?: Failure;
}

export interface ConversationState {
  sessionId?: string;
  /** The project that it is in, or that its first question begins it in. */
  projectId?: string | undefined;
  /** How it is answered, where it does not follow its project. */
  parameters?: ModelParameters | undefined;
  title: string;
  phase: "ready" | "loading" | "failed";
  failure?: Failure;
  messages: TranscriptMessage[];
  hasEarlier: boolean;
  live?: LiveRun;
  /** The server rejected a question. */
  refused?: { failure: Failure; at: number };
  /** The version that was just opened, and where its picker was on the screen, so that it can stay there. */
  switched?: { place: string; top: number; version: number; of: number };
}

/** A message to the other tabs of this browser: something changed in a conversation. */
export interface TabMessage {
  sessionId: string;
  /** Nothing changed; another version of a message is shown. */
  shown?: true;
}

/** The number of messages loaded at a time. */
export const PAGE = 60;

/** The open conversation. */
export const conversation = create<ConversationState>(emptyConversation);

/** The other tabs of this browser. */
export const tabs = new BroadcastChannel("tackle");
let opened = new AbortController();

/** Returns a conversation without messages. */
export function emptyConversation(): ConversationState {
  return { title: "", phase: "ready", messages: [], hasEarlier: false };
}

/** Returns an answer that has not begun yet. */
export function newLiveRun(): LiveRun {
  return { state: emptyRun(), seq: 0, startedAt: Date.now(), stopping: false };
}

/** Replaces the open conversation and aborts all work for the one before. */
export function replaceConversation(state: ConversationState): AbortSignal {
  opened.abort();
  opened = new AbortController();
  conversation.setState(state, true);
  return opened.signal;
}

/** Returns a signal that aborts when another conversation is opened. */
export function whileOpen(): AbortSignal {
  return opened.signal;
}

/** Changes the answer that is being written, if there is one. */
export function changeLive(change: Partial<LiveRun>): void {
  conversation.setState((now) => (now.live ? { live: { ...now.live, ...change } } : now));
}

/** Returns true for a chat in which nothing was asked yet. */
export function isNewChat({ phase, messages, live, refused }: ConversationState): boolean {
  return phase === "ready" && messages.length === 0 && live === undefined && refused === undefined;
}

/** Returns true if the answer that is being written belongs to the branch on the screen. */
export function liveIsShown({ live, messages }: Pick<ConversationState, "live" | "messages">): boolean {
  const parentId = live?.state.parentId;
  return live !== undefined && (parentId === undefined || messages.at(-1)?.id === parentId);
}

/** Returns the place of a message. Versions of a message share it, and only one of them is shown. */
export function placeOf({ parentId }: Pick<TranscriptMessage, "parentId">): string {
  return parentId ?? "first";
}

/** Removes the answer of a run that is being followed: it arrives with the run's events. */
export function withoutAnswerOf(
  runId: string | undefined,
  messages: TranscriptMessage[],
): TranscriptMessage[] {
  return messages.filter((message) => message.role !== "assistant" || !runId || message.runId !== runId);
}
