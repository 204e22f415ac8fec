import { create } from "zustand";

/** Whether the server can be reached, according to the browser and the last request. */
export const connection = create<{ online: boolean; reachable: boolean }>(() => ({
  online: navigator.onLine,
  reachable: true,
}));

/** Follows the browser's reports about the network. */
export function watchConnection(): void {
  addEventListener("online", () => connection.setState({ online: true, reachable: true }));
  addEventListener("offline", () => connection.setState({ online: false }));
}
