import { type NoticeWords, WORDS_CACHE, WORDS_PATH } from "./notice-words.ts";
import type { ServiceWorkerScope } from "./worker-types.ts";

const ENGLISH: NoticeWords = {
  approval: "Needs your decision",
  question: "Has a question for you",
  done: "The answer is complete",
  failed: "The answer failed",
  untitled: "A conversation",
};

interface Notice {
  kind: "waiting" | "done" | "failed";
  sessionId: string;
  waitsFor?: "approval" | "question";
  title?: string;
}

/** Shows what the server has pushed, unless the person is looking at the app. */
export async function showNotice(self: ServiceWorkerScope, data: unknown): Promise<void> {
  const notice = data as Notice;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (windows.some(({ visibilityState, focused }) => visibilityState === "visible" && focused)) return;
  const words = await readWords();
  const body = words[notice.kind === "waiting" ? (notice.waitsFor ?? "approval") : notice.kind];
  await self.registration.showNotification(notice.title || words.untitled, {
    body,
    // A later notice about the same conversation replaces this one.
    tag: notice.sessionId,
    icon: "/icons/icon-192.png",
    badge: "/icons/maskable-192.png",
    data: { sessionId: notice.sessionId },
    dir: "auto",
  });
}

/** Opens the conversation of a notification, in a window of the app that is open if there is one. */
export async function openNotice(self: ServiceWorkerScope, { data }: Notification): Promise<void> {
  const url = new URL(`/#/s/${encodeURIComponent((data as Notice).sessionId)}`, self.location.origin).href;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const own = windows.find((one) => new URL(one.url).pathname === "/");
  if (!own) return void (await self.clients.openWindow(url));
  own.postMessage({ open: url });
  await own.focus();
}

async function readWords(): Promise<NoticeWords> {
  const kept = await caches.match(WORDS_PATH, { cacheName: WORDS_CACHE });
  return kept ? ((await kept.json()) as NoticeWords) : ENGLISH;
}
