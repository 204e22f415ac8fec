import { create } from "zustand";
import type { Attachment } from "../../protocol/chat.ts";
import { isObject } from "../../protocol/json.ts";
import { conversation } from "./conversation.ts";
import { draft } from "./draft.ts";
import { ask } from "./server.ts";
import { readStored, store } from "./storage.ts";
import { temporary } from "./temporary.ts";
import { moveUploads, showUploadsOf } from "./uploads.ts";

interface KeptDraft {
  text: string;
  attachments: Attachment[];
  at: string;
  /** Set until the server has it. */
  unsaved?: true;
}

type Kept = Record<string, KeptDraft>;

const KEY = "tackle.drafts";
const NEW = "new";
const SAVE_MS = 800;
/** Nothing from elsewhere replaces words that were typed within this time. */
const TYPING_MS = 4_000;
const MOST_KEPT = 30;
/** The server takes no longer ones. They stay in this browser. */
const LONGEST_SAVED = 8_000;

/** What was written in each conversation and not sent. It survives a reload and follows the person to other devices. */
export const drafts = create<{ kept: Kept }>(() => ({ kept: stored() }));

function stored(): Kept {
  try {
    const found: unknown = JSON.parse(readStored(KEY) ?? "{}");
    if (!isObject(found)) return {};
    return Object.fromEntries(
      Object.entries(found).filter((entry): entry is [string, KeptDraft] => isKept(entry[1])),
    );
  } catch {
    return {}; // Nothing readable is stored.
  }
}

function isKept(value: unknown): value is KeptDraft {
  return (
    isObject(value) &&
    typeof value.text === "string" &&
    typeof value.at === "string" &&
    Array.isArray(value.attachments)
  );
}

function keep(kept: Kept): void {
  const newest = Object.entries(kept).sort(([, one], [, other]) => other.at.localeCompare(one.at));
  drafts.setState({ kept: Object.fromEntries(newest.slice(0, MOST_KEPT)) });
  store(KEY, JSON.stringify(drafts.getState().kept));
}

const place = () => conversation.getState().sessionId ?? NEW;
const isEmpty = ({ text, attachments }: Pick<KeptDraft, "text" | "attachments">) =>
  text === "" && attachments.length === 0;

/** Keeps what is in the message field under a conversation. */
function remember(id: string): void {
  // What is written in a temporary chat goes with it.
  if (temporary.getState().on) return;
  const { text, attachments } = draft.getState();
  const { kept } = drafts.getState();
  const before = kept[id];
  if (before?.text === text && before.attachments === attachments) return;
  if (!before && isEmpty({ text, attachments })) return;
  changedAt = performance.now();
  keep({ ...kept, [id]: { text, attachments, at: new Date().toISOString(), unsaved: true } });
  saveSoon();
}

let timer: ReturnType<typeof setTimeout> | undefined;
/** When the words in the message field were last changed here. */
let changedAt = Number.NEGATIVE_INFINITY;
/** When the server last took each draft from here. */
const savedAt = new Map<string, number>();

function saveSoon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void saveAll(), SAVE_MS);
}

/** Hands everything that the server does not have to it. What can't be saved now is tried again with the next change. */
async function saveAll({ keepalive = false } = {}): Promise<void> {
  const unsaved = Object.entries(drafts.getState().kept).filter(
    ([, one]) => one.unsaved && one.text.length <= LONGEST_SAVED,
  );
  // At once, because the page may be about to go.
  await Promise.all(unsaved.map(([id, one]) => save(id, one, keepalive)));
}

async function save(id: string, one: KeptDraft, keepalive: boolean): Promise<void> {
  const attachments = one.attachments.map(({ fileId, mimeType, name }) => ({ fileId, mimeType, name }));
  try {
    const path = `/me/drafts/${encodeURIComponent(id)}`;
    await ask("PUT", path, { text: one.text, attachments }, { keepalive });
  } catch {
    return; // Offline, or the conversation is gone. The draft stays in this browser.
  }
  savedAt.set(id, performance.now());
  const { kept } = drafts.getState();
  const { [id]: saved, ...others } = kept;
  if (saved !== one) return; // Changed meanwhile.
  const { unsaved, ...rest } = one;
  keep(isEmpty(one) ? others : { ...kept, [id]: rest });
}

/** Loads what was written elsewhere. What was written here and is not saved yet counts more. */
export async function loadDrafts(): Promise<void> {
  type Listed = { id: string; text: string; attachments: Attachment[]; updatedAt: string };
  const askedAt = performance.now();
  const { drafts: listed } = await ask<{ drafts: Listed[] }>("GET", "/me/drafts");
  const { kept } = drafts.getState();
  const isTyped = performance.now() - changedAt < TYPING_MS;
  // What was saved meanwhile may not be in the list yet, nor what was sent be gone from it.
  const isNewer = (id: string) => (savedAt.get(id) ?? 0) > askedAt;
  const own = Object.entries(kept).filter(
    ([id, one]) => one.unsaved || isNewer(id) || (isTyped && id === place()),
  );
  const found = listed
    .filter(({ id }) => !isNewer(id))
    .map(({ id, text, attachments, updatedAt }) => [id, { text, attachments, at: updatedAt }]);
  if (own.length > 0) saveSoon();
  const before = kept[place()];
  keep({ ...Object.fromEntries(found), ...Object.fromEntries(own) });
  const { text, attachments } = draft.getState();
  const isUntouched = !isTyped && text === (before?.text ?? "");
  const { text: newText = "", attachments: newFiles = [] } = drafts.getState().kept[place()] ?? {};
  // What was refused stays in the field as long as nothing else comes.
  if (isUntouched && (newText !== text || !isSame(newFiles, attachments))) show(place());
}

function isSame(some: readonly Attachment[], others: readonly Attachment[]): boolean {
  return some.length === others.length && some.every(({ fileId }, at) => fileId === others[at]?.fileId);
}

/** Puts the draft of a conversation into the message field. */
function show(id: string): void {
  const { text = "", attachments = [] } = drafts.getState().kept[id] ?? {};
  changedAt = Number.NEGATIVE_INFINITY;
  draft.setState({ text, attachments, refused: [], sending: undefined });
  showUploadsOf(id);
}

/** Adds a file to the draft of a conversation that is not open. */
export function keepFile(id: string, file: Attachment): void {
  const { kept } = drafts.getState();
  const { text = "", attachments = [] } = kept[id] ?? {};
  const at = new Date().toISOString();
  keep({ ...kept, [id]: { text, attachments: [...attachments, file], at, unsaved: true } });
  saveSoon();
}

/** Keeps drafts apart: each conversation has its own, and so has a new chat. */
export function watchDrafts(): void {
  // What the browser kept is shown before the server answers.
  show(place());
  draft.subscribe((state, before) => {
    if (state.text !== before.text || state.attachments !== before.attachments) remember(place());
  });
  conversation.subscribe(({ sessionId = NEW, live }, before) => {
    if (sessionId === (before.sessionId ?? NEW)) return;
    // The first message of a new chat gave it its id: what is written since then belongs to it.
    if (before.sessionId === undefined && live && before.live) {
      remember(sessionId);
      moveUploads(NEW, sessionId);
      forgetDraft(NEW);
    } else show(sessionId);
  });
  addEventListener("pagehide", () => void saveAll({ keepalive: true }));
  addEventListener("online", saveSoon);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void loadDrafts().catch(() => undefined); // The next look may succeed.
  });
}

function forgetDraft(id: string): void {
  const { kept } = drafts.getState();
  const before = kept[id];
  if (before)
    keep({ ...kept, [id]: { text: "", attachments: [], at: new Date().toISOString(), unsaved: true } });
  saveSoon();
}

/** Forgets the draft of a conversation that is gone. `keepAsNew` keeps its words for a new chat, unless that has a draft. */
export function dropDraft(id: string, { keepAsNew = false } = {}): void {
  const { [id]: dropped, ...kept } = drafts.getState().kept;
  if (!dropped) return;
  const isFree = isEmpty(kept[NEW] ?? { text: "", attachments: [] });
  keep(keepAsNew && isFree ? { ...kept, [NEW]: { ...dropped, unsaved: true } } : kept);
  saveSoon();
}

/** Leaves nothing of the person in this browser. */
export function clearDrafts(): void {
  clearTimeout(timer);
  store(KEY, null);
}
