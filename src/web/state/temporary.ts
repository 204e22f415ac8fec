import { create } from "zustand";
import { Failure, type FailureCode } from "../../protocol/failure.ts";
import { ask } from "./server.ts";
import { readStored, store } from "./storage.ts";

const KEY = "tackle.deleting";
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** There is no such conversation, or it belongs to the person who was signed in before. */
const GONE: ReadonlySet<FailureCode> = new Set(["NOT_FOUND", "FORBIDDEN"]);

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

/** Notes the conversation that a temporary chat has begun. If the chat was left meanwhile, it is deleted. */
export function beginTemporary(sessionId: string, isLeft: boolean): void {
  if (isLeft) deleteAnyway(sessionId);
  else temporary.setState({ sessionId });
}

/** Deletes a conversation, also while the page is being closed. What fails is tried again, at the next visit too. */
export function deleteAnyway(id: string): void {
  keep([...kept().filter((other) => other !== id), id]);
  void remove(id);
}

/** Deletes what an earlier visit asked for in vain. */
export function deleteLeftovers(): void {
  for (const id of kept()) void remove(id);
}

async function remove(id: string, waitMs = FIRST_WAIT_MS): Promise<void> {
  try {
    await ask("DELETE", `/sessions/${encodeURIComponent(id)}`, undefined, { keepalive: true });
  } catch (error) {
    if (!(error instanceof Failure && GONE.has(error.code))) {
      setTimeout(() => void remove(id, Math.min(2 * waitMs, LONGEST_WAIT_MS)), waitMs);
      return;
    }
  }
  keep(kept().filter((other) => other !== id));
}

/** Returns the conversations that were to be deleted, whose deletion is not confirmed yet. */
function kept(): string[] {
  return (readStored(KEY) ?? "").split(" ").filter((id) => id !== "");
}

function keep(ids: readonly string[]): void {
  store(KEY, ids.length === 0 ? null : ids.join(" "));
}
