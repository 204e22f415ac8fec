import type { Session } from "../../protocol/sessions.ts";
import { chat } from "../state/server.ts";
import { refreshSessions, showTitle } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { t } from "../text/palette.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Choices, Field, useForm } from "../ui/form.tsx";

/** Gives a conversation another title. */
export function RenameConversation({ session: { id, title } }: { session: Pick<Session, "id" | "title"> }) {
  const onClose = () => view.setState({ renaming: undefined });
  const { problem, busy, submit } = useForm(async (field) => {
    const wanted = field("title").trim();
    if (wanted !== "" && wanted !== title) {
      await chat.renameSession(id, wanted);
      showTitle(id, wanted);
      await refreshSessions();
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
