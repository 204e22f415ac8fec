import { create } from "zustand";

/** Whether the server can be reached, according to the browser and the last request. */
export const connection = create<{ online: boolean; reachable: boolean }>(() => ({
  online: navigator.onLine,
  reachable: true,
}));

/** Returns true if nothing can be sent now. */
export function isCutOff({ online, reachable }: { online: boolean; reachable: boolean }): boolean {
  return !(online && reachable);
}

/** Follows the browser's reports about the network. */
export function watchConnection(): void {
  addEventListener("online", () => connection.setState({ online: true, reachable: true }));
  addEventListener("offline", () => connection.setState({ online: false }));
}
