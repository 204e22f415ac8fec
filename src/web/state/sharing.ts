import type { Share, SharePreview } from "../../protocol/shares.ts";
import { attempt } from "./notices.ts";
import { ask } from "./server.ts";
import { refreshSessions } from "./sessions.ts";

/** A link with its whole address. */
export type OwnShare = Share & { url: string };
export type OwnPreview = SharePreview & { shares: OwnShare[] };

/** Copies what is behind a link into a conversation of one's own. Returns its id, or undefined if that failed. */
export async function continueShared(token: string): Promise<string | undefined> {
  let sessionId: string | undefined;
  await attempt(async () => {
    sessionId = (await ask<{ id: string }>("POST", `s/${encodeURIComponent(token)}/continue`)).id;
  });
  void refreshSessions();
  return sessionId;
}
