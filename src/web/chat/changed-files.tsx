import type { TranscriptMessage } from "../../protocol/chat.ts";
import { callsOf } from "../../protocol/reduce.ts";
import { conversation } from "../state/conversation.ts";
import { rollBack } from "../state/roll-back.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { changesFiles, nameOf } from "./step-words.ts";

/** Says which files an answer has changed, and takes that back. */
export function ChangedFiles({ message, onReview }: { message: TranscriptMessage; onReview(): void }) {
  const sessionId = conversation((state) => state.sessionId);
  const calls = message.state ? callsOf(message.state).filter(changesFiles) : [];
  const [first] = calls;
  const { runId } = message;
  if (!first || sessionId === undefined || runId === undefined) return null;
  const names = new Set(calls.map(nameOf));
  const words =
    names.size > 1 ? t("filesChanged", { count: names.size }) : t("fileChanged", { name: nameOf(first) });
  const items = [
    { label: t("undoThese"), run: () => void rollBack(sessionId, runId) },
    { label: t("undoAll"), run: () => void rollBack(sessionId) },
  ];
  return (
    <div className="changed-files">
      <Icon name="edit" size="small" />
      <span dir="auto">{words}</span>
      <Button className="quiet" onClick={onReview}>
        {t("review")}
      </Button>
      <Menu label={t("undo")} items={items} className="small">
        <Icon name="undo" size="small" />
        {t("undo")}
      </Menu>
    </div>
  );
}
