import { create } from "zustand";

/** Counts the changes of what is remembered, here or elsewhere, so that what shows it is loaded again. */
export const memoryChanges = create(() => 0);
