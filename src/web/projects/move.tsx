import "../style/projects.css";
import { useState } from "react";
import type { Project } from "../../protocol/projects.ts";
import type { Session } from "../../protocol/sessions.ts";
import { conversation } from "../state/conversation.ts";
import { attempt, notify } from "../state/notices.ts";
import { chat } from "../state/server.ts";
import { refreshSessions } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { t } from "../text/projects.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { useRoute } from "../ui/loaded.ts";
import { NewDialog } from "./dialogs.tsx";

/** Asks which project a conversation is to be moved to. */
export function MoveDialog({ session }: { session: Session }) {
  const listed = useRoute<{ projects: Project[] }>("/projects");
  const [making, setMaking] = useState(false);
  const close = () => view.setState({ moving: undefined });
  async function move(project: Project | undefined): Promise<void> {
    close();
    await attempt(async () => {
      await chat.moveSession(session.id, project?.id ?? null);
      if (conversation.getState().sessionId === session.id) conversation.setState({ projectId: project?.id });
      notify({ text: project ? t("movedTo", { name: project.name }) : t("movedOut") });
      await refreshSessions();
    });
  }
  if (making) return <NewDialog onClose={() => setMaking(false)} onMade={(project) => void move(project)} />;
  return (
    <Dialog title={t("moveQuestion", { title: session.title })} onClose={close} className="project-dialog">
      <ul className="project-choices">
        {session.projectId !== undefined && (
          <li>
            <Button className="nav-row" onClick={() => void move(undefined)}>
              <Icon name="back" />
              {t("moveOut")}
            </Button>
          </li>
        )}
        {listed?.projects
          .filter(({ id }) => id !== session.projectId)
          .map((project) => (
            <li key={project.id}>
              <Button className="nav-row" onClick={() => void move(project)}>
                <Icon name="folder" />
                <span dir="auto">{project.name}</span>
              </Button>
            </li>
          ))}
        <li>
          <Button className="nav-row" onClick={() => setMaking(true)}>
            <Icon name="plus" />
            {t("newProject")}
          </Button>
        </li>
      </ul>
    </Dialog>
  );
}
