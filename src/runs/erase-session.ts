import { setImmediate as pause } from "node:timers/promises";
import { type Audit, actOf } from "../protocol/audit.ts";
import type { CallContexts } from "../protocol/call-context.ts";
import { draftSetting } from "../protocol/drafts.ts";
import type { Files } from "../protocol/files.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Session } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";
import type { Runner } from "./runner.ts";

export interface ErasureParts {
  store: Store;
  files: Files;
  runner: Runner;
  callContexts: CallContexts;
  audit: Audit;
}

/** Deletes a session with everything that belongs to it. Its run is stopped first; nothing can be written for it afterwards. */
export async function eraseSession(
  { store, files, runner, callContexts, audit }: ErasureParts,
  principal: Principal,
  { id, activeRunId }: Pick<Session, "id" | "activeRunId">,
): Promise<void> {
  if (activeRunId) await runner.cancel(activeRunId);
  await store.deleteSession(id);
  await store.putSetting(principal.id, draftSetting(id), undefined);
  await callContexts.background?.endSession(id);
  audit.note({ ...actOf(principal, "erasure.done", { kind: "session" }), sessionId: id });
  await store.tellAccount(principal.id, { type: "session_deleted", sessionId: id });
  void files.tidy();
}

const PAGE = 200;

/** Deletes every listed session of a person, also those in the archive. Returns how many there were. */
export async function eraseAllSessions(parts: ErasureParts, principal: Principal): Promise<number> {
  let erased = 0;
  for (const archived of [false, true]) {
    for (;;) {
      // What is deleted is not listed again.
      const page = await parts.store.listSessions(principal.id, { limit: PAGE, archived });
      for (const session of page) {
        await eraseSession(parts, principal, session);
        erased++;
        // A store in this process would hold up everybody else.
        await pause();
      }
      if (page.length < PAGE) break;
    }
  }
  return erased;
}
