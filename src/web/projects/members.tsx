import { useState } from "react";
import type { Project } from "../../protocol/projects.ts";
import { attempt } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/projects.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ShortField, useForm } from "../ui/form.tsx";
import { useRoute } from "../ui/loaded.ts";
import { Select } from "../ui/select.tsx";

type Access = "read" | "write";
interface Member {
  userId: string;
  access: Access;
  email?: string;
  name?: string;
}

/** Whom a project is shared with, and what they may do. */
export function MembersDialog(props: { project: Project; onClose(): void; refresh(): Promise<void> }) {
  const { project, onClose, refresh } = props;
  const [turn, setTurn] = useState(0);
  const path = `/projects/${project.id}/members`;
  const listed = useRoute<{ members: Member[] }>(path, turn);
  const [access, setAccess] = useState<Access>("read");
  const options = (["read", "write"] as const).map((value) => ({ value, text: t(`access_${value}`) }));
  async function changed(): Promise<void> {
    setTurn(turn + 1);
    await refresh();
  }
  const { problem, busy, submit } = useForm(async (field) => {
    await ask("POST", path, { email: field("email"), access });
    await changed();
  });
  return (
    <Dialog title={t("shareQuestion", { name: project.name })} onClose={onClose} className="project-dialog">
      <p className="hint">{t("shareHint")}</p>
      <form className="choices" onSubmit={submit}>
        <ShortField label={t("memberEmail")} name="email" type="email" required autoComplete="off" />
        <Select<Access> aria-label={t("access")} value={access} options={options} onChoose={setAccess} />
        <button type="submit" className="primary" disabled={busy}>
          {t("addMember")}
        </button>
      </form>
      {problem}
      <ul className="project-members">
        {listed?.members.map(({ userId, email, name, access: may }) => (
          <li key={userId}>
            <span>
              <b dir="auto">{name || email || userId}</b>
              {name && <small>{email}</small>}
            </span>
            <Select<Access>
              aria-label={t("accessOf", { name: name || email || userId })}
              value={may}
              options={options}
              onChoose={(value) =>
                void attempt(async () => {
                  await ask("PATCH", `${path}/${encodeURIComponent(userId)}`, { access: value });
                  await changed();
                })
              }
            />
            <Button
              onClick={() =>
                void attempt(async () => {
                  await ask("DELETE", `${path}/${encodeURIComponent(userId)}`);
                  await changed();
                })
              }
            >
              {t("removeMember")}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
