import { create } from "zustand";
import { Failure } from "../../protocol/failure.ts";

export interface Notice {
  id: number;
  text: string;
  kind: "plain" | "error";
  action?: { label: string; run(): void };
}

const SHOWN_MS = 7_000;
let nextId = 1;

/** Short messages at the bottom of the page. */
export const notices = create<{ notices: Notice[] }>(() => ({ notices: [] }));

/** Shows a message for a few seconds. Returns a function that removes it. */
export function notify(notice: Omit<Notice, "id" | "kind"> & { kind?: Notice["kind"] }): () => void {
  const id = nextId++;
  notices.setState(({ notices: all }) => ({ notices: [...all.slice(-3), { kind: "plain", ...notice, id }] }));
  const remove = () =>
    notices.setState(({ notices: all }) => ({ notices: all.filter((one) => one.id !== id) }));
  setTimeout(remove, SHOWN_MS);
  return remove;
}

/** Shows a failure to the person. */
export function notifyFailure(thrown: unknown): void {
  notify({ kind: "error", text: sentenceOf(thrown) });
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
  if (thrown instanceof Failure) return thrown.publicMessage;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
