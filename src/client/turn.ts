import type { Chat } from "../protocol/chat.ts";
import type { ChatEvent } from "../protocol/events.ts";
import type { ChatRequest } from "../protocol/requests.ts";

export interface TurnOptions {
  /** Stops the run, not only the listening; its last events still come, `done` with `cancelled` among them. */
  signal?: AbortSignal;
  idempotencyKey?: string;
}

/**
 * One turn of a conversation as its events, whichever chat it is. Whoever leaves the loop early leaves the run going.
 * Throws `Failure`.
 */
export async function* streamTurn(
  chat: Chat,
  request: ChatRequest,
  { signal, idempotencyKey }: TurnOptions = {},
): AsyncGenerator<ChatEvent, void, undefined> {
  signal?.throwIfAborted();
  const { runId } = await chat.send(request, { signal, idempotencyKey });
  let cancelling: Promise<void> | undefined;
  const cancel = () => {
    cancelling = chat.cancel(runId);
    // Its failure is thrown below; until then nobody waits for it.
    cancelling.catch(() => {});
  };
  if (signal?.aborted) cancel();
  else signal?.addEventListener("abort", cancel, { once: true });
  try {
    for await (const { event } of chat.follow(runId)) yield event;
    await cancelling;
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}
