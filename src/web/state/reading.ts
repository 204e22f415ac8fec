import type { TranscriptMessage } from "../../protocol/chat.ts";
import {
  conversation,
  PAGE,
  placeOf,
  staying,
  type TabMessage,
  tabs,
  withoutAnswerOf,
} from "./conversation.ts";
import { notifyFailure } from "./notices.ts";
import { chat } from "./server.ts";

/** Where a version was chosen, on the screen and among its siblings. */
export interface Picker {
  place: string;
  siblings: string[];
  /** Of the picker, in pixels from the top of the window. */
  top: number;
}

/** As many messages of a branch as are read at once when it is gone to. */
const LONGEST_PAGE = 200;
let reading = false;
let wanted = 0;

/** Reads the messages before those that are shown. */
export async function loadEarlier(): Promise<void> {
  const { sessionId, messages, hasEarlier } = conversation.getState();
  const first = messages[0];
  if (sessionId === undefined || first === undefined || !hasEarlier || reading) return;
  const signal = staying();
  reading = true;
  try {
    const earlier = await chat.messages(sessionId, { limit: PAGE, before: first.id });
    if (signal.aborted || conversation.getState().messages[0]?.id !== first.id) return;
    conversation.setState((state) => ({
      messages: [...earlier, ...state.messages],
      hasEarlier: earlier.length === PAGE,
    }));
  } catch (error) {
    notifyFailure(error);
  } finally {
    reading = false;
  }
}

/** Goes to another version of a message; its picker stays where it is on the screen. An answer under way goes on. */
export async function showVersion(messageId: string, picker?: Picker): Promise<void> {
  const { sessionId } = conversation.getState();
  if (sessionId === undefined) return;
  const isLate = lateness();
  try {
    await chat.showMessage(sessionId, messageId);
    tabs.postMessage({ sessionId, shown: true } satisfies TabMessage);
    const branch = await chat.messages(sessionId, { limit: LONGEST_PAGE });
    if (isLate()) return;
    conversation.setState(({ messages, hasEarlier, live }) => ({
      ...joined({ messages, hasEarlier }, withoutAnswerOf(live?.runId, branch), picker?.place),
      refused: undefined,
      switched: picker && {
        place: picker.place,
        top: picker.top,
        version: picker.siblings.indexOf(messageId) + 1,
        of: picker.siblings.length,
      },
    }));
  } catch (error) {
    notifyFailure(error);
  }
}

/** Goes along where another tab of this browser looks at another version. An answer under way goes on. */
export function watchVersions(): void {
  tabs.addEventListener("message", async ({ data }: MessageEvent<TabMessage>) => {
    const { sessionId, phase } = conversation.getState();
    if (!data.shown || data.sessionId !== sessionId || phase !== "ready") return;
    const isLate = lateness();
    // Where that fails, the tab looks again once it comes to the front.
    const branch = await chat.messages(sessionId, { limit: LONGEST_PAGE }).catch(() => undefined);
    const { messages, hasEarlier, live } = conversation.getState();
    const asking = live?.seq === 0; // A question of its own that is just being sent is where it goes on.
    if (!branch || asking || isLate()) return;
    const page = joined({ messages, hasEarlier }, withoutAnswerOf(live?.runId, branch), undefined);
    conversation.setState({ ...page, switched: undefined });
  });
}

/** Answers whether another version, or another conversation, was wanted meanwhile. */
function lateness(): () => boolean {
  const signal = staying();
  const own = ++wanted;
  return () => signal.aborted || own !== wanted;
}

interface Page {
  messages: TranscriptMessage[];
  hasEarlier: boolean;
}

/** The branch from where the page began so far, so that what is above stays; where that is too far up, its end. */
function joined(before: Page, branch: TranscriptMessage[], place: string | undefined): Page {
  const cut = branch.length >= LONGEST_PAGE;
  const begin = branch.findIndex(({ id }) => id === before.messages[0]?.id);
  if (begin !== -1) return { messages: branch.slice(begin), hasEarlier: begin > 0 || cut };
  const join = before.messages.findIndex(({ id }) => id === branch[0]?.id);
  if (join !== -1) return { ...before, messages: [...before.messages.slice(0, join), ...branch] };
  const chosen = branch.findIndex((message) => placeOf(message) === place);
  const from = Math.max(0, Math.min(branch.length - PAGE, chosen === -1 ? branch.length : chosen));
  return { messages: branch.slice(from), hasEarlier: from > 0 || cut };
}
