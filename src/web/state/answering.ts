import { create } from "zustand";
import type { ChatRequest } from "../../protocol/requests.ts";
import { conversation } from "./conversation.ts";
import { type Answering, prefer, preferences } from "./preferences.ts";

type Mode = "artifact" | "image";

/** What the next message is to become. It holds for one message. */
export const mode = create<{ mode: Mode | undefined }>(() => ({ mode: undefined }));

/** The number of conversations with their own choice; the oldest falls back to the default. */
const MAX_CHOICES = 40;
/** New conversations. */
const NEW = "";

/** Returns how the open conversation is answered. */
export function useAnswering(): Answering {
  const sessionId = conversation((state) => state.sessionId ?? NEW);
  return preferences((state) => state.answeringIn[sessionId] ?? NOTHING);
}

const NOTHING: Answering = {};

/** Changes how the open conversation is answered, or a new one if none is open. */
export function chooseAnswering(change: Answering): void {
  const sessionId = conversation.getState().sessionId ?? NEW;
  const { [sessionId]: before, ...others } = preferences.getState().answeringIn;
  const kept = Object.entries(others).slice(-(MAX_CHOICES - 1));
  prefer({ answeringIn: Object.fromEntries([...kept, [sessionId, { ...before, ...change }]]) });
}

/** Returns the fields of a request that say how to answer, and ends the mode. */
export function takeAnswering(): Pick<
  ChatRequest,
  "modeHint" | "reasoningEffort" | "verbosity" | "parameters"
> {
  const { answeringIn } = preferences.getState();
  const { effort, verbosity, temperature } = answeringIn[conversation.getState().sessionId ?? NEW] ?? {};
  const modeHint = mode.getState().mode;
  mode.setState({ mode: undefined });
  return {
    ...(modeHint && { modeHint }),
    ...(effort && { reasoningEffort: effort }),
    ...(verbosity && { verbosity }),
    ...(temperature !== undefined && { parameters: { temperature } }),
  };
}

/** A new conversation keeps what was chosen for it when it gets its id. */
export function keepAnswering(sessionId: string): void {
  const { [NEW]: chosen, ...others } = preferences.getState().answeringIn;
  if (chosen && others[sessionId] === undefined) prefer({ answeringIn: { ...others, [sessionId]: chosen } });
}
