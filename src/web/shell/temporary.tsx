import { conversation, isNewChat } from "../state/conversation.ts";
import { temporary, toggleTemporary } from "../state/temporary.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";

/** Turns an empty chat into a temporary one, or back. */
export function TemporaryButton() {
  const on = temporary((state) => state.on);
  const isNew = conversation(isNewChat);
  const begun = conversation((state) => state.sessionId !== undefined);
  if (!isNew || begun) return null;
  return (
    <IconButton
      icon="temporary"
      label={t(on ? "makeKept" : "makeTemporary")}
      aria-pressed={on}
      onClick={toggleTemporary}
    />
  );
}

/** Says all the while that the chat is not kept. */
export function TemporaryLine() {
  const on = temporary((state) => state.on);
  return on ? (
    <p className="temporary-line" role="note">
      <Icon name="temporary" size="small" />
      <strong>{t("temporaryChat")}</strong>
      <span>{t("temporaryHint")}</span>
    </p>
  ) : null;
}
