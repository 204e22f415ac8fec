import type { Share, SharePreview } from "../../protocol/shares.ts";
import { goTo } from "../shell/address.ts";
import { attempt } from "./notices.ts";
import { ask } from "./server.ts";
import { refreshSessions } from "./sessions.ts";

/** A link with its whole address. */
export type OwnShare = Share & { url: string };
export type OwnPreview = SharePreview & { shares: OwnShare[] };

/** Copies what is behind a link into a conversation of one's own, and opens it. */
export async function continueShared(token: string): Promise<void> {
  const path = `s/${encodeURIComponent(token)}/continue`;
  let sessionId: string | undefined;
  await attempt(async () => {
    sessionId = (await ask<{ id: string }>("POST", path)).id;
  });
  // Also without one: the address must not ask again after a reload.
  history.replaceState(null, "", "#/");
  goTo(sessionId);
  await refreshSessions();
}
