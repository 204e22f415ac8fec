import { create } from "zustand";
import { Failure } from "../../protocol/failure.ts";
import { t } from "../text/t.ts";
import { inOwnWords } from "../text/translate.ts";
import { connection, isCutOff } from "./connection.ts";

export interface Notice {
  id: number;
  text: string;
  kind: "plain" | "error";
  action?: { label: string; run(): void };
  /** Set if the action takes something back: then Ctrl Z does too. */
  undoes?: boolean;
}

interface Shown {
  timer: ReturnType<typeof setTimeout> | undefined;
  settle?: ((leaving: boolean) => void) | undefined;
}

const SHOWN_MS = 8_000;
const MOST = 4;
let nextId = 1;
const shown = new Map<number, Shown>();

/** Short messages at the bottom of the page. */
export const notices = create<{ notices: Notice[] }>(() => ({ notices: [] }));

/** Shows a message for a few seconds. Returns a function that removes it. */
export function notify(notice: Omit<Notice, "id" | "kind"> & { kind?: Notice["kind"] }): () => void {
  const id = show(notice);
  return () => end(id);
}

/**
 * Says what was done, and offers to undo it for a few seconds. `settle` runs once it can no longer be undone; `leaving` is true
 * if that is because the page is being closed, when only a request with `keepalive` still reaches the server.
 */
export function offerUndo(done: { text: string; undo(): void; settle?(leaving: boolean): void }): void {
  show({ text: done.text, undoes: true, action: { label: t("undo"), run: done.undo } }, done.settle);
}

/** Runs a message's action and removes the message. */
export function runAction({ id, action }: Notice): void {
  const one = shown.get(id);
  if (one) one.settle = undefined;
  end(id);
  action?.run();
}

/** Stops or restarts the time of all messages, while the person points at them or has moved the focus there. */
export function holdNotices(held: boolean): void {
  for (const [id, one] of shown) {
    clearTimeout(one.timer);
    one.timer = held ? undefined : setTimeout(() => end(id), SHOWN_MS);
  }
}

/** Undoes the newest thing that can be undone with Ctrl Z, and settles the rest when the page is closed. */
export function watchUndo(): void {
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
    const notice = notices.getState().notices.findLast(({ undoes }) => undoes);
    if (event.defaultPrevented || !notice || hasOwnUndo(event.target)) return;
    event.preventDefault();
    runAction(notice);
  });
  addEventListener("pagehide", () => {
    for (const id of shown.keys()) end(id, true);
  });
}

/** A field with text undoes what was typed there. */
function hasOwnUndo(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return target.value !== "";
  return target instanceof HTMLElement && target.isContentEditable;
}

function show(
  notice: Omit<Notice, "id" | "kind"> & { kind?: Notice["kind"] },
  settle?: Shown["settle"],
): number {
  const id = nextId++;
  for (const { id: old } of notices.getState().notices.slice(0, 1 - MOST)) end(old);
  notices.setState(({ notices: all }) => ({ notices: [...all, { kind: "plain", ...notice, id }] }));
  shown.set(id, { timer: setTimeout(() => end(id), SHOWN_MS), settle });
  return id;
}

function end(id: number, leaving = false): void {
  const one = shown.get(id);
  if (!one) return;
  shown.delete(id);
  clearTimeout(one.timer);
  notices.setState(({ notices: all }) => ({ notices: all.filter((other) => other.id !== id) }));
  one.settle?.(leaving);
}

/** Shows a failure to the person. */
export function notifyFailure(thrown: unknown): void {
  notify({ kind: "error", text: sentenceOf(thrown) });
}

/** Shows the failure of a background request, unless the banner about the connection says it already. */
export function notifyUnlessCutOff(thrown: unknown): void {
  if (!isCutOff(connection.getState())) notifyFailure(thrown);
}

/** Runs `work` and shows its failure to the person. Returns true if it succeeded. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    notifyFailure(error);
    return false;
  }
}

/** Returns a sentence that says what went wrong. */
export function sentenceOf(thrown: unknown): string {
  const { online } = connection.getState();
  const isCut =
    isCutOff(connection.getState()) && thrown instanceof Failure && thrown.code === "UPSTREAM_ERROR";
  if (isCut) return t(online ? "unreachableTitle" : "offlineTitle");
  if (thrown instanceof Failure) return inOwnWords(thrown.publicMessage);
  return thrown instanceof Error ? thrown.message : String(thrown);
}
