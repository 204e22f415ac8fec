import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import { MAX_REMEMBERED } from "../protocol/projects.ts";
import type { Store } from "../protocol/store.ts";
import { newId } from "./ids.ts";

/** How many lines are kept. All of them are in every prompt. */
const MOST = { guest: 20, others: 100 };

/** Remembers a line, once. Throws STORAGE_FULL. */
export async function rememberLine(
  store: Store,
  principal: Principal,
  text: string,
  sessionId?: string,
): Promise<"new" | "known"> {
  const line = text.replace(/\s+/g, " ").trim().slice(0, MAX_REMEMBERED).toWellFormed();
  const isKnown = async () =>
    (await store.listMemories(principal.id)).some((one) => one.text.toLowerCase() === line.toLowerCase());
  if (await isKnown()) return "known";
  const most = principal.kind === "guest" ? MOST.guest : MOST.others;
  const memory = { id: newId("mem"), userId: principal.id, sessionId, text: line };
  if (await store.addMemory(memory, most)) {
    await store.tellAccount(principal.id, { type: "memory_changed" });
    return "new";
  }
  // Somebody else may just have added it.
  if (await isKnown()) return "known";
  throw new Failure("STORAGE_FULL", `At most ${most} things are remembered. Delete some in the settings.`);
}
