import "../style/projects.css";
import { useEffect, useState } from "react";
import type { Project } from "../../protocol/projects.ts";
import { Composer } from "../chat/composer.tsx";
import { projectAddress } from "../shell/address.ts";
import { conversation, isNewChat } from "../state/conversation.ts";
import { person } from "../state/person.ts";
import { openProject, readProject } from "../state/project-defaults.ts";
import { addFiles } from "../state/project-files.ts";
import { view } from "../state/view.ts";
import { t } from "../text/projects.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { Chats } from "./chats.tsx";
import { Defaults } from "./defaults.tsx";
import { DeleteDialog, LeaveDialog, RenameDialog } from "./dialogs.tsx";
import { Files } from "./files.tsx";
import { Instructions } from "./instructions.tsx";
import { ProjectList, SidebarButton, useReturn, useTitle } from "./list.tsx";
import { MembersDialog } from "./members.tsx";

/** All projects, or one of them. */
export function ProjectsPage() {
  const id = view((state) => state.projectId);
  return id === undefined ? <ProjectList /> : <ProjectPage key={id} id={id} />;
}

function ProjectPage({ id }: { id: string }) {
  const project = openProject((state) => (state.project?.id === id ? state.project : undefined));
  const isGone = openProject((state) => state.gone === id);
  const isNew = conversation(isNewChat);
  const changes = openProject((state) => state.changes);
  const [turn, setTurn] = useState(0);
  useTitle(project?.name ?? t(isGone ? "projectGone" : "projects"));
  // The first question opens its conversation.
  useEffect(() => {
    if (!isNew) view.setState({ page: undefined });
  }, [isNew]);
  async function refresh(model?: string): Promise<void> {
    await readProject(id, model);
    setTurn((count) => count + 1);
  }
  // Others may have changed it, or what this person may do here, since it was read.
  useEffect(() => {
    if (openProject.getState().project?.id === id) void readProject(id);
  }, [id]);
  useReturn(() => void refresh(openProject.getState().model));
  if (isGone) return <GoneProject />;
  const mayChange = project !== undefined && project.access !== "read";
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be dropped anywhere on the page
    <div
      className="project-page"
      onDrop={(event) => {
        if (!mayChange || event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        event.stopPropagation();
        void addFiles(id, event.dataTransfer.files, refresh);
      }}
    >
      <header className="top-bar" data-part="bar">
        <SidebarButton />
        <nav className="crumbs" aria-label={t("projects")}>
          <a href={projectAddress()}>{t("projects")}</a>
          <Icon name="next" size="tiny" />
          <span dir="auto">{project?.name}</span>
        </nav>
        {project && <ProjectMenu project={project} refresh={refresh} />}
      </header>
      <div className="project">
        <div className="project-chats">
          <h1 dir="auto">{project?.name ?? " "}</h1>
          {project && project.access !== "owner" && <p className="hint">{t("sharedWithYou")}</p>}
          <Composer />
          <Chats id={id} />
        </div>
        {project && (
          <aside>
            <Instructions project={project} refresh={refresh} />
            <Files project={project} turn={turn + changes} refresh={refresh} />
            <Defaults project={project} refresh={refresh} />
          </aside>
        )}
      </div>
    </div>
  );
}

function GoneProject() {
  return (
    <>
      <header className="top-bar" data-part="bar">
        <SidebarButton />
      </header>
      <div className="projects">
        <h1>{t("projectGone")}</h1>
        <p className="projects-empty">{t("projectGoneHint")}</p>
        <a href={projectAddress()}>{t("allProjects")}</a>
      </div>
    </>
  );
}

type Asked = "rename" | "share" | "delete" | "leave";

function ProjectMenu({ project, refresh }: { project: Project; refresh(): Promise<void> }) {
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const props = { project, onClose: close, refresh };
  const isOwner = project.access === "owner";
  // Only accounts can share, and be shared with.
  const mayShare = person((state) => state.me?.kind === "account") && isOwner;
  const items = [
    ...(project.access === "read"
      ? []
      : [{ label: t("rename"), icon: "edit" as const, run: () => setAsked("rename") }]),
    ...(mayShare
      ? [{ label: t("shareProject"), icon: "person" as const, run: () => setAsked("share") }]
      : []),
    isOwner
      ? { label: t("deleteProject"), icon: "trash" as const, danger: true, run: () => setAsked("delete") }
      : { label: t("leaveProject"), icon: "close" as const, danger: true, run: () => setAsked("leave") },
  ];
  return (
    <>
      {mayShare && <IconButton icon="person" label={t("shareProject")} onClick={() => setAsked("share")} />}
      <Menu label={t("moreAbout", { title: project.name })} items={items}>
        <Icon name="more" />
      </Menu>
      {asked === "rename" && <RenameDialog {...props} />}
      {asked === "share" && <MembersDialog {...props} />}
      {asked === "delete" && <DeleteDialog {...props} />}
      {asked === "leave" && <LeaveDialog {...props} />}
    </>
  );
}
