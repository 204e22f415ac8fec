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
