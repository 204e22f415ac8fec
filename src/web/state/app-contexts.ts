import { create } from "zustand";

/** What an app wants the model to know with the person's next message. */
interface AppContext {
  runId: string;
  toolCallId: string;
  text: string;
  sent?: true;
}

/** By the call whose app said it. Each app has one, and its newest counts. */
export const appContexts = create<Record<string, AppContext>>(() => ({}));

/** Returns what has not been sent yet, as a request holds it, and marks it as sent. */
export function takeAppContexts(): Pick<AppContext, "runId" | "toolCallId" | "text">[] | undefined {
  const waiting = Object.values(appContexts.getState()).filter(({ sent }) => !sent);
  if (waiting.length === 0) return undefined;
  for (const one of waiting) appContexts.setState({ [one.toolCallId]: { ...one, sent: true } });
  return waiting.slice(-MOST).map(({ runId, toolCallId, text }) => ({ runId, toolCallId, text }));
}

const MOST = 5;

/** Forgets what an app said. */
export function forgetAppContext(toolCallId: string): void {
  const { [toolCallId]: _, ...others } = appContexts.getState();
  appContexts.setState(others, true);
}
