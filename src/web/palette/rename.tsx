import { conversation } from "../state/conversation.ts";
import { chat } from "../state/server.ts";
import { showTitle } from "../state/sessions.ts";
import { t } from "../text/palette.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Choices, Field, useForm } from "../ui/form.tsx";

/** Gives the open conversation another title. */
export function RenameConversation({ onClose }: { onClose(): void }) {
  const { sessionId, title } = conversation.getState();
  const { problem, busy, submit } = useForm(async (field) => {
    const wanted = field("title").trim();
    if (sessionId !== undefined && wanted !== "" && wanted !== title) {
      await chat.renameSession(sessionId, wanted);
      showTitle(sessionId, wanted);
    }
    onClose();
  });
  return (
    <Dialog title={t("rename")} onClose={onClose} className="narrow">
      <form className="fields" onSubmit={submit}>
        <Field
          label={t("conversationTitle")}
          name="title"
          required
          maxLength={200}
          defaultValue={title}
          autoComplete="off"
          dir="auto"
          onFocus={({ target }) => target.select()}
        />
        {problem}
        <Choices action={t("save")} disabled={busy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
