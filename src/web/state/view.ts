import { create } from "zustand";

interface ViewState {
  /** The call whose artifact is shown beside the chat. */
  artifact?: { toolCallId: string };
  /** A page shown instead of the conversation. */
  page?: "administration";
  dialog?: "sign-in" | "palette" | undefined;
  /** The open section of the settings; empty for the list of sections. */
  settings?: string | undefined;
  /** The token of the link with which the first account is created. */
  setupToken?: string | undefined;
  /** On narrow screens the sidebar covers the chat. */
  drawer: boolean;
}

/** What is open besides the conversation. */
export const view = create<ViewState>(() => ({ drawer: false, ...readSetupLink() }));

/** Reads the set-up link and removes the token from the address, which may be copied or kept. */
function readSetupLink(): Partial<ViewState> {
  const address = new URL(location.href);
  const setupToken = address.searchParams.get("setup");
  if (setupToken === null) return {};
  address.searchParams.delete("setup");
  history.replaceState(null, "", address);
  return { setupToken, dialog: "sign-in" };
}
