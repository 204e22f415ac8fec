import { create } from "zustand";

/** Counts the changes of what is remembered, here or elsewhere, so that what shows it is loaded again. */
export const memoryChanges = create(() => 0);

/** Counts the changes of the person's keys, here or elsewhere: they change which models there are. */
export const keyChanges = create(() => 0);

let knownKeys: string | undefined;

/** Takes note of the keys that the server has. */
export function noteKeys(keys: object): void {
  const now = JSON.stringify(keys);
  if (knownKeys !== undefined && knownKeys !== now) keyChanges.setState((count) => count + 1);
  knownKeys = now;
}
