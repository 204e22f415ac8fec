import type { Chat, SendOptions } from "../protocol/chat.ts";
import type { ChatEvent } from "../protocol/events.ts";
import type { ChatRequest } from "../protocol/requests.ts";

export interface TurnOptions
  extends Pick<SendOptions, "idempotencyKey" | "system" | "schema" | "maxSteps" | "maxToolCalls"> {
  /** Stops the run. Its last events still arrive, including `done` with `cancelled`. */
  signal?: AbortSignal;
}

/**
 * Sends a request and yields the events of its run, for any `Chat`. Leaving the loop early does not stop the run.
 * Throws `Failure`.
 */
export async function* streamTurn(
  chat: Chat,
  request: ChatRequest,
  options: TurnOptions = {},
): AsyncGenerator<ChatEvent, void, undefined> {
  const { signal } = options;
  signal?.throwIfAborted();
  const { runId } = await chat.send(request, options);
  let cancelling: Promise<void> | undefined;
  const cancel = () => {
    cancelling = chat.cancel(runId);
    // Its failure is thrown below.
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
