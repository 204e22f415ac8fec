import { create } from "zustand";

/** Whether the server can be reached, as the last request and the browser saw it. */
export const connection = create<{ online: boolean; reachable: boolean }>(() => ({
  online: navigator.onLine,
  reachable: true,
}));

/** Listens to what the browser says about the network. */
export function watchConnection(): void {
  addEventListener("online", () => connection.setState({ online: true, reachable: true }));
  addEventListener("offline", () => connection.setState({ online: false }));
}
