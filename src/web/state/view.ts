import { create } from "zustand";

interface ViewState {
  /** The artifact that is shown beside the chat: which call made it, and the version when another one was chosen. */
  artifact?: { toolCallId: string; artifactId?: string };
  /** What is shown in the place of the conversation. */
  page?: "administration";
  dialog?: "settings" | "sign-in" | "palette";
  /** On narrow screens the list lies above the chat. */
  drawer: boolean;
}

/** What is open besides the conversation. */
export const view = create<ViewState>(() => ({ drawer: false }));
