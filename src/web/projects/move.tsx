import "../style/projects.css";
import { useState } from "react";
import type { Project } from "../../protocol/projects.ts";
import type { Known } from "../shell/session-items.ts";
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
import { useProjectSearch } from "./search.tsx";

/** Asks which project conversations are to be moved to. */
export function MoveDialog({ sessions }: { sessions: readonly Known[] }) {
  const listed = useRoute<{ projects: Project[] }>("/projects");
  const { field, found } = useProjectSearch(listed?.projects);
  const [making, setMaking] = useState(false);
  const close = () => view.setState({ moving: undefined });
  async function move(project: Project | undefined): Promise<void> {
    close();
    await attempt(async () => {
      for (const { id } of sessions) {
        await chat.moveSession(id, project?.id ?? null);
        if (conversation.getState().sessionId === id) conversation.setState({ projectId: project?.id });
      }
      notify({ text: project ? t("movedTo", { name: project.name }) : t("movedOut") });
      await refreshSessions();
    });
  }
  const [first, ...others] = sessions;
  const title =
    others.length === 0
      ? t("moveQuestion", { title: first?.title ?? "" })
      : t("moveSeveral", { count: sessions.length });
  const isIn = (id: string | undefined) => sessions.every(({ projectId }) => projectId === id);
  if (making) return <NewDialog onClose={() => setMaking(false)} onMade={(project) => void move(project)} />;
  return (
    <Dialog title={title} onClose={close} className="project-dialog">
      {field}
      <ul className="project-choices">
        {!isIn(undefined) && (
          <li>
            <Button className="nav-row" onClick={() => void move(undefined)}>
              <Icon name="back" />
              {t("moveOut")}
            </Button>
          </li>
        )}
        <li>
          <Button className="nav-row" onClick={() => setMaking(true)}>
            <Icon name="plus" />
            {t("newProject")}
          </Button>
        </li>
        {found
          ?.filter(({ id }) => !isIn(id))
          .map((project) => (
            <li key={project.id}>
              <Button className="nav-row" onClick={() => void move(project)}>
                <Icon name="folder" />
                <span dir="auto">{project.name}</span>
              </Button>
            </li>
          ))}
      </ul>
    </Dialog>
  );
}
