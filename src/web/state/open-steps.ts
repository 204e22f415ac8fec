import { create } from "zustand";

/** The answers whose steps are unfolded, by their ids. They stay so when another conversation is opened meanwhile. */
export const openSteps = create<{ ids: ReadonlySet<string> }>(() => ({ ids: new Set() }));

/** Unfolds or folds the steps of an answer. */
export function setSteps(id: string, open: boolean): void {
  openSteps.setState(({ ids }) => {
    const changed = new Set(ids);
    if (open) changed.add(id);
    else changed.delete(id);
    return { ids: changed };
  });
}
