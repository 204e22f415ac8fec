import { create } from "zustand";

/** Whether the server has a newer version of the app than this page. */
export const newVersion = create<{ ready: boolean }>(() => ({ ready: false }));
