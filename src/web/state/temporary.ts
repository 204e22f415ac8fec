import { create } from "zustand";

/** Whether the open conversation is temporary, and its id once it has begun. */
export const temporary = create<{ on: boolean; sessionId?: string | undefined }>(() => ({ on: false }));

/** Turns an empty chat into a temporary one, or back. */
export function toggleTemporary(): void {
  temporary.setState(({ on }) => ({ on: !on }));
}

/** Call this when another conversation is opened: deletes the temporary one. */
export function leaveTemporary(): void {
  const { sessionId } = temporary.getState();
  temporary.setState({ on: false, sessionId: undefined });
  if (sessionId !== undefined) deleteAnyway(sessionId);
}

/** Deletes a conversation, also while the page is being closed. */
export function deleteAnyway(id: string): void {
  void fetch(`/sessions/${encodeURIComponent(id)}`, { method: "DELETE", keepalive: true }).catch(() => {
    // The server deletes a temporary chat by itself, and lists every other one again.
  });
}
