import { conversation } from "./conversation.ts";
import { type Preferences, prefer, preferences } from "./preferences.ts";

/** The number of conversations with their own choice; the oldest falls back to the default. */
const MAX_CHOICES = 40;

/** Returns the names of the tools that are switched off in the open conversation. */
export function useToolsOff(): readonly string[] {
  const sessionId = conversation((state) => state.sessionId);
  return preferences((state) => toolsOffFor(sessionId, state));
}

/** The same, outside of components. */
export function toolsOff(): readonly string[] {
  return toolsOffFor(conversation.getState().sessionId, preferences.getState());
}

function toolsOffFor(sessionId: string | undefined, chosen: Preferences): readonly string[] {
  return (sessionId === undefined ? undefined : chosen.toolsOffIn[sessionId]) ?? chosen.toolsOff;
}

/** Switches tools off in the open conversation, or in all new ones if none is open. */
export function chooseToolsOff(off: string[]): void {
  const { sessionId } = conversation.getState();
  if (sessionId === undefined) {
    prefer({ toolsOff: off });
    return;
  }
  const { [sessionId]: _, ...others } = preferences.getState().toolsOffIn;
  const kept = Object.entries(others).slice(-(MAX_CHOICES - 1));
  prefer({ toolsOffIn: Object.fromEntries([...kept, [sessionId, off]]) });
}
