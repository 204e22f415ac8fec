import type { LoggedEvent } from "../protocol/events.ts";
import type { Run, Store } from "../protocol/store.ts";
import { unfold } from "../protocol/unfold.ts";

/** What a run says whose journal was removed: events that come to the same answer, the same every time. */
export async function clearedEvents(store: Pick<Store, "getMessage">, run: Run): Promise<LoggedEvent[]> {
  const { state } = (await store.getMessage(run.messageId)) ?? {};
  return state ? unfold(state).map((event, index) => ({ seq: index + 1, event })) : [];
}
