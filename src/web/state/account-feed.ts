import type { AccountFeedEvent } from "../../protocol/account-events.ts";
import { t } from "../text/t.ts";
import { memoryChanges } from "./account-changes.ts";
import { showAnswering } from "./answering.ts";
import { conversation } from "./conversation.ts";
import { dropDraft, loadDrafts } from "./drafts.ts";
import { go } from "./history.ts";
import { notify } from "./notices.ts";
import { showProjectChange } from "./project-defaults.ts";
import { chat } from "./server.ts";
import { refreshSessions, shortTitle, showTitle } from "./sessions.ts";
import { loadPreferences } from "./synced-preferences.ts";

const NAME = "tackle-account-feed";
/** After the server has refused, for instance because the person signed out. */
const REFUSED_MS = 15_000;
/** Changes that come together lead to one request. */
const TOGETHER_MS = 150;

type TabMessage = AccountFeedEvent | "restart";

const tabs = new BroadcastChannel(NAME);
/** The last event that this tab has seen, from its own connection or another tab. */
let last = 0;
let connection = new AbortController();
let followed = false;
let refresh: ReturnType<typeof setTimeout> | undefined;
let drafts: ReturnType<typeof setTimeout> | undefined;

/**
 * Shows at once what changes elsewhere: in another tab, on another device, or because a model wrote a title. One tab listens
 * for all tabs of a browser, because a browser opens only a few connections to a server. Called again, after the person has
 * signed in or out, it starts over.
 */
export function followAccountFeed(): void {
  if (followed) {
    restart();
    return;
  }
  followed = true;
  tabs.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
    if (data === "restart") reconnect();
    else take(data);
  });
  // Pages that are not served securely have no locks. Then each tab listens for itself.
  if ("locks" in navigator) void navigator.locks.request(NAME, listen);
  else void listen();
}

function restart(): void {
  tabs.postMessage("restart" satisfies TabMessage);
  reconnect();
}

function reconnect(): void {
  last = 0;
  connection.abort();
  connection = new AbortController();
}

async function listen(): Promise<never> {
  for (;;) {
    const { signal } = connection;
    try {
      for await (const event of chat.feed({ after: last, signal })) {
        tabs.postMessage(event satisfies TabMessage);
        take(event);
      }
    } catch {
      // The server refused, or the person has signed in as somebody else.
    }
    if (!signal.aborted) await new Promise((resume) => setTimeout(resume, REFUSED_MS));
  }
}

/** Leads to a new chat if this conversation is open, and keeps what the person was writing in it. */
function leaveDeleted(sessionId: string): void {
  const { sessionId: open, title } = conversation.getState();
  const isOpen = sessionId === open;
  dropDraft(sessionId, { keepAsNew: isOpen });
  if (!isOpen) return;
  notify({ text: t("deletedSession", { title: shortTitle(title ?? "") }) });
  go("#/");
}

function take({ id, event }: AccountFeedEvent): void {
  // What changed before the first connection was ready may be missing in the list, which is loaded meanwhile.
  const isKnown = event.type === "ready" && last > 0;
  last = id;
  if (event.type === "session_deleted") leaveDeleted(event.sessionId);
  if (event.type === "project_changed") void showProjectChange(event.projectId);
  if (event.type === "title" || event.type === "session_renamed") showTitle(event.sessionId, event.title);
  else if (event.type === "session_pinned" && event.parameters)
    showAnswering(event.sessionId, event.parameters);
  else if (event.type === "memory_changed") memoryChanges.setState((count) => count + 1);
  else if (event.type === "settings_changed")
    void loadPreferences({ live: true }).catch(() => undefined); // The next visit shows them.
  else if (event.type === "draft_changed") {
    clearTimeout(drafts);
    drafts = setTimeout(() => void loadDrafts().catch(() => undefined), TOGETHER_MS); // The next look may succeed.
  } else if (!isKnown) {
    clearTimeout(refresh);
    refresh = setTimeout(() => void refreshSessions({ quiet: true }), TOGETHER_MS);
  }
}
