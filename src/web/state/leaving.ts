import { create } from "zustand";
import { focusBeside } from "../ui/focus-beside.ts";
import { attempt, offerUndo } from "./notices.ts";
import { ask } from "./server.ts";

/** The ids of what is hidden because it is about to be deleted. */
export const leaving = create<{ ids: readonly string[] }>(() => ({ ids: [] }));

interface Removal {
  id: string;
  /** Says what was removed. */
  text: string;
  /** The address that deletes it. */
  path: string;
  /** Runs once it is deleted. */
  refresh(): unknown;
}

/** Hides something at once. It is deleted when that can no longer be undone, or when the page is closed. */
export function removeWithUndo({ id, text, path, refresh }: Removal): void {
  const show = () => leaving.setState(({ ids }) => ({ ids: ids.filter((one) => one !== id) }));
  focusBeside();
  leaving.setState(({ ids }) => ({ ids: [...ids, id] }));
  offerUndo({
    text,
    undo: show,
    settle(isClosing) {
      void attempt(async () => {
        await ask("DELETE", path, undefined, { keepalive: isClosing });
        await refresh();
      }).finally(show);
    },
  });
}
