import type { SearchHit } from "../../protocol/search.ts";
import { loadEarlier, showVersion } from "./branches.ts";
import { conversation } from "./conversation.ts";
import { go } from "./history.ts";
import { openSession } from "./open-session.ts";
import { view } from "./view.ts";

const MARKED_MS = 2_000;
/** Pages of earlier messages that are loaded to reach one. */
const MAX_PAGES = 100;

/** Opens a conversation at the place that a search has found, and marks the message for a moment. */
export async function jumpTo(
  sessionId: string,
  { messageId, otherBranch, artifactId }: Pick<SearchHit, "messageId" | "otherBranch" | "artifactId">,
): Promise<void> {
  view.setState({ drawer: false });
  go(`#/s/${encodeURIComponent(sessionId)}`);
  await openSession(sessionId);
  await settled(sessionId);
  if (conversation.getState().sessionId !== sessionId) return;
  if (messageId !== undefined && otherBranch) await showVersion(messageId);
  const found = () =>
    conversation
      .getState()
      .messages.find(({ id, state }) =>
        messageId === undefined
          ? artifactId !== undefined && JSON.stringify(state ?? "").includes(artifactId)
          : id === messageId,
      );
  for (let page = 0; page < MAX_PAGES && !found() && conversation.getState().hasEarlier; page++) {
    await loadEarlier();
    await painted();
  }
  const message = found();
  if (message) await mark(message.id);
}

/** Resolves when the conversation is loaded, or another one was opened. */
function settled(sessionId: string): Promise<void> {
  return new Promise((resolve) => {
    const isOver = () => {
      const state = conversation.getState();
      return state.sessionId !== sessionId || state.phase !== "loading";
    };
    if (isOver()) return resolve();
    const stop = conversation.subscribe(() => {
      if (!isOver()) return;
      stop();
      resolve();
    });
  });
}

async function mark(messageId: string): Promise<void> {
  await painted();
  const element = document.querySelector<HTMLElement>(`[data-message="${CSS.escape(messageId)}"]`);
  if (!element) return;
  // The log follows its end until the person scrolls. A second look finds the place after late layout.
  for (let look = 0; look < 2; look++) {
    element.scrollIntoView({ block: "center" });
    await painted();
  }
  element.dataset.found = "";
  setTimeout(() => delete element.dataset.found, MARKED_MS);
}

function painted(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
}
