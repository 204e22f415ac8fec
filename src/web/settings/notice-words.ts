import type { NoticeWords } from "../installed/notice-words.ts";
import { t } from "../text/settings.ts";

/** What notifications say, in the person's language. */
export function noticeWords(): NoticeWords {
  return {
    approval: t("noticeApproval"),
    question: t("noticeQuestion"),
    done: t("noticeDone"),
    failed: t("noticeFailed"),
    untitled: t("noticeUntitled"),
  };
}
