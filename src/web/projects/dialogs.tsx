import { useState } from "react";
import type { Project } from "../../protocol/projects.ts";
import { goToProject } from "../shell/address.ts";
import { attempt } from "../state/notices.ts";
import { openProject } from "../state/project-defaults.ts";
import { ask } from "../state/server.ts";
import { refreshSessions } from "../state/sessions.ts";
import { t } from "../text/projects.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Choices, Field, useForm } from "../ui/form.tsx";

interface Props {
  project: Project;
  onClose(): void;
  refresh(): Promise<void>;
}

const MAX_NAME = 100;
const MAX_INSTRUCTIONS = 4_000;

/** Asks for the name of a new project and, if the person likes, its instructions. */
export function NewDialog({ onClose, onMade }: { onClose(): void; onMade?(project: Project): void }) {
  const { problem, busy, submit } = useForm(async (field) => {
    const body = { name: field("name"), instructions: field("instructions") };
    const project = await ask<Project>("POST", "/projects", body);
    onClose();
    if (onMade) onMade(project);
    else goToProject(project.id);
  });
  return (
    <Dialog title={t("newProject")} onClose={onClose} className="project-dialog">
      <p className="hint">{t("noProjects")}</p>
      <form className="fields" onSubmit={submit}>
        <Field label={t("projectName")} name="name" required maxLength={MAX_NAME} autoComplete="off" />
        <label>
          {t("instructionsOptional")}
          <textarea name="instructions" rows={5} maxLength={MAX_INSTRUCTIONS} dir="auto" />
        </label>
        {problem}
        <Choices action={t("createProject")} disabled={busy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

/** Gives a project another name. */
export function RenameDialog({ project, onClose, refresh }: Props) {
  const { problem, busy, submit } = useForm(async (field) => {
    await ask("PATCH", `/projects/${project.id}`, { name: field("name") });
    await refresh();
    onClose();
  });
  return (
    <Dialog title={t("rename")} onClose={onClose} className="project-dialog">
      <form className="fields" onSubmit={submit}>
        <Field
          label={t("projectName")}
          name="name"
          required
          maxLength={MAX_NAME}
          defaultValue={project.name}
          autoComplete="off"
        />
        {problem}
        <Choices action={t("save")} disabled={busy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

/** Asks once before a project is deleted. */
export function DeleteDialog({ project, onClose }: Props) {
  const { id, name, sessions: count } = project;
  return (
    <Sure
      title={t("deleteQuestion", { name })}
      text={count === 0 ? t("deleteNothing") : t("deleteChats", { count })}
      action={t("deleteProject")}
      onClose={onClose}
      id={id}
      run={() => ask("DELETE", `/projects/${id}`)}
    />
  );
}

/** Asks once before a person leaves a project that somebody else shares. */
export function LeaveDialog({ project, onClose }: Props) {
  const { id, name } = project;
  return (
    <Sure
      title={t("leaveQuestion", { name })}
      text={t("leaveChats")}
      action={t("leaveProject")}
      onClose={onClose}
      id={id}
      run={() => ask("DELETE", `/projects/${id}/members/me`)}
    />
  );
}

function Sure(props: {
  title: string;
  text: string;
  action: string;
  id: string;
  onClose(): void;
  run(): Promise<unknown>;
}) {
  const { title, text, action, id, onClose, run } = props;
  const [busy, setBusy] = useState(false);
  async function go(): Promise<void> {
    setBusy(true);
    openProject.setState({ ending: id });
    const done = await attempt(run);
    setBusy(false);
    if (done) {
      onClose();
      goToProject();
    }
    openProject.setState({ ending: undefined });
    if (!done) return;
    await refreshSessions();
  }
  return (
    <Dialog title={title} onClose={onClose} className="project-dialog">
      <p>{text}</p>
      <p className="choices">
        <Button className="danger" disabled={busy} onClick={() => void go()}>
          {action}
        </Button>
        <Button onClick={onClose}>{t("cancel")}</Button>
      </p>
    </Dialog>
  );
}
