import type { TranscriptMessage } from "../../protocol/chat.ts";
import {
  conversation,
  PAGE,
  placeOf,
  type TabMessage,
  tabs,
  whileOpen,
  withoutAnswerOf,
} from "./conversation.ts";
import { attempt } from "./notices.ts";
import { chat } from "./server.ts";

/** The version picker that was used. */
export interface Picker {
  place: string;
  siblings: string[];
  /** Pixels from the top of the window. */
  top: number;
}

/** The number of messages loaded when another branch is opened. */
const BRANCH_PAGE = 200;
let loading = false;
let requests = 0;

/** Loads the messages before the first one on the screen. */
export async function loadEarlier(): Promise<void> {
  const { sessionId, messages, hasEarlier } = conversation.getState();
  const first = messages[0];
  if (sessionId === undefined || first === undefined || !hasEarlier || loading) return;
  const signal = whileOpen();
  loading = true;
  await attempt(async () => {
    const earlier = await chat.messages(sessionId, { limit: PAGE, before: first.id });
    if (signal.aborted || conversation.getState().messages[0]?.id !== first.id) return;
    conversation.setState((state) => ({
      messages: [...earlier, ...state.messages],
      hasEarlier: earlier.length === PAGE,
    }));
  });
  loading = false;
}

/** Shows another version of a message and keeps the picker in place. An answer that is being written continues. */
export async function showVersion(messageId: string, picker?: Picker): Promise<void> {
  const { sessionId } = conversation.getState();
  if (sessionId === undefined) return;
  const isOutdated = newRequest();
  await attempt(async () => {
    await chat.showMessage(sessionId, messageId);
    tabs.postMessage({ sessionId, shown: true } satisfies TabMessage);
    const branch = await chat.messages(sessionId, { limit: BRANCH_PAGE });
    if (isOutdated()) return;
    conversation.setState(({ messages, hasEarlier, live }) => ({
      ...switchTo(withoutAnswerOf(live?.runId, branch), { messages, hasEarlier }, picker?.place),
      refused: undefined,
      switched: picker && {
        place: picker.place,
        top: picker.top,
        version: picker.siblings.indexOf(messageId) + 1,
        of: picker.siblings.length,
      },
    }));
  });
}

/** Shows the version that another tab of this browser has switched to. An answer that is being written continues. */
export function watchVersions(): void {
  tabs.addEventListener("message", async ({ data }: MessageEvent<TabMessage>) => {
    const { sessionId, phase } = conversation.getState();
    if (!data.shown || data.sessionId !== sessionId || phase !== "ready") return;
    const isOutdated = newRequest();
    // If this fails, the tab checks again when it comes to the front.
    const branch = await chat.messages(sessionId, { limit: BRANCH_PAGE }).catch(() => undefined);
    const { messages, hasEarlier, live } = conversation.getState();
    const asking = live?.seq === 0; // A question that is being sent from this tab keeps its branch.
    if (!branch || asking || isOutdated()) return;
    const page = switchTo(withoutAnswerOf(live?.runId, branch), { messages, hasEarlier }, undefined);
    conversation.setState({ ...page, switched: undefined });
  });
}

/** Returns a function that tells whether another version or conversation was requested since. */
function newRequest(): () => boolean {
  const signal = whileOpen();
  const own = ++requests;
  return () => signal.aborted || own !== requests;
}

interface Page {
  messages: TranscriptMessage[];
  hasEarlier: boolean;
}

/** Starts the new branch at the first message on the screen so that nothing above moves, or else near the picker. */
function switchTo(branch: TranscriptMessage[], before: Page, place: string | undefined): Page {
  const cut = branch.length >= BRANCH_PAGE;
  const begin = branch.findIndex(({ id }) => id === before.messages[0]?.id);
  if (begin !== -1) return { messages: branch.slice(begin), hasEarlier: begin > 0 || cut };
  const join = before.messages.findIndex(({ id }) => id === branch[0]?.id);
  if (join !== -1) return { ...before, messages: [...before.messages.slice(0, join), ...branch] };
  const chosen = branch.findIndex((message) => placeOf(message) === place);
  const from = Math.max(0, Math.min(branch.length - PAGE, chosen === -1 ? branch.length : chosen));
  return { messages: branch.slice(from), hasEarlier: from > 0 || cut };
}
