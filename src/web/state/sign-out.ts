import { clearDrafts } from "./drafts.ts";

const tabs = new BroadcastChannel("tackle-sign-out");

/** Reloads everything in all tabs, for a guest or to sign in. Nothing of the person stays in them. */
export function startOver(): void {
  tabs.postMessage("signed out");
  leave();
}

/** Starts over when the person has signed out in another tab. */
export function watchSignOut(): void {
  tabs.addEventListener("message", leave);
}

function leave(): void {
  clearDrafts();
  history.replaceState(null, "", "/");
  location.reload();
}
