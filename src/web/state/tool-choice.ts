import { conversation } from "./conversation.ts";
import { prefer, preferences } from "./preferences.ts";

/** So many conversations keep a choice of their own; the oldest falls back to the usual one. */
const MOST_CHOICES = 40;

/** Names of tools that the model is not offered in the open conversation: its own choice, else the usual one. */
export function useToolsOff(): readonly string[] {
  const sessionId = conversation((state) => state.sessionId);
  const own = preferences((state) => (sessionId === undefined ? undefined : state.toolsOffIn[sessionId]));
  const usual = preferences((state) => state.toolsOff);
  return own ?? usual;
}

/** The same, once. */
export function toolsOff(): readonly string[] {
  const { sessionId } = conversation.getState();
  const { toolsOffIn, toolsOff: usual } = preferences.getState();
  return (sessionId === undefined ? undefined : toolsOffIn[sessionId]) ?? usual;
}

/** Chooses for the open conversation; before there is one, for all new ones. */
export function chooseToolsOff(off: string[]): void {
  const { sessionId } = conversation.getState();
  if (sessionId === undefined) {
    prefer({ toolsOff: off });
    return;
  }
  const { [sessionId]: _, ...others } = preferences.getState().toolsOffIn;
  const kept = Object.entries(others).slice(-(MOST_CHOICES - 1));
  prefer({ toolsOffIn: Object.fromEntries([...kept, [sessionId, off]]) });
}
