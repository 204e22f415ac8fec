import type { Erasure } from "../protocol/erasures.ts";
import type { Store } from "../protocol/store.ts";

/** What completing a deletion asks of a store. */
export type ErasingStore = Pick<
  Store,
  "deleteSession" | "deleteUser" | "removePieces" | "deleteProject" | "removeMemoryAgain"
>;

/** Completes a deletion that began earlier, or that a restored backup has to repeat. */
export async function repeatErasure(store: ErasingStore, { kind, id }: Erasure): Promise<void> {
  if (kind === "account") return store.deleteUser(id);
  if (kind === "session") return store.deleteSession(id);
  if (kind === "memory") return store.removeMemoryAgain(id);
  await store.removePieces({ projectId: id });
  await store.deleteProject(id);
}
