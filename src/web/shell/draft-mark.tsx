import { drafts } from "../state/drafts.ts";
import { t } from "../text/t.ts";

/** Says that something was written in a conversation and not sent. */
export function DraftMark({ id, current }: { id: string; current: boolean }) {
  const has = drafts(({ kept }) => (kept[id]?.text ?? "") !== "" || (kept[id]?.attachments.length ?? 0) > 0);
  return has && !current ? <span className="draft-mark">{t("draft")}</span> : null;
}
