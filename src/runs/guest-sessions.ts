import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";

/** How many conversations a guest may keep. */
const MOST = 100;

/** Throws STORAGE_FULL if a guest would have too many conversations with these. Accounts and the owner have no limit. */
export async function checkGuestSessions(store: Store, principal: Principal, added = 1): Promise<void> {
  if (principal.kind !== "guest") return;
  const kept = added > MOST ? [] : await store.listSessions(principal.id, { limit: MOST });
  if (kept.length + added <= MOST) return;
  throw new Failure(
    "STORAGE_FULL",
    `A guest can keep ${MOST} conversations. Delete some, or sign in to keep more.`,
  );
}
