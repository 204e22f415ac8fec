import { type KeyboardEvent, useRef } from "react";
import { conversation } from "../state/conversation.ts";
import { isReady, revision, stopEditing } from "../state/draft.ts";
import { person } from "../state/person.ts";
import { sendRevision } from "../state/questions.ts";
import { sendingOf } from "../state/send-key.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Attachments } from "./attachments.tsx";
import { takePasted, useMessageField } from "./message-field.ts";

/** The field in which a sent message is edited, where it appears in the log. */
export function EditedMessage() {
  const text = revision((state) => state.text);
  const focus = revision((state) => state.focus);
  const ready = revision(isReady);
  const busy = conversation((state) => state.live !== undefined);
  const most = person((state) => state.me?.accepts?.characters);
  const field = useRef<HTMLTextAreaElement>(null);
  useMessageField(field, text, focus);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      event.preventDefault();
      stopEditing();
    } else if (event.target === field.current && sendingOf(event) !== undefined) {
      event.preventDefault();
      void sendRevision();
    }
  }

  return (
    <form
      className="edited-message"
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        void sendRevision();
      }}
    >
      <Attachments of={revision} />
      <textarea
        ref={field}
        dir="auto"
        value={text}
        rows={1}
        maxLength={most}
        aria-label={t("editField")}
        aria-describedby="edit-hint"
        onChange={({ target }) => revision.setState({ text: target.value })}
        onPaste={(event) => takePasted(event, revision)}
      />
      <div className="edited-foot">
        <p id="edit-hint">{t("editHint")}</p>
        <Button onClick={stopEditing}>{t("cancel")}</Button>
        <button type="submit" className="primary" disabled={!ready || busy}>
          {t("send")}
        </button>
      </div>
    </form>
  );
}
