import type { ContextChange } from "../protocol/context.ts";
import type { Run, Store } from "../protocol/store.ts";

/** Keeps how a run has shortened its session. May be repeated. */
export function saveContextOf(store: Store, { id, sessionId }: Run, change: ContextChange): Promise<void> {
  return store.saveContext({ ...change, id: `context_${id}`, sessionId });
}
