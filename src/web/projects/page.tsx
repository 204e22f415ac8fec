import "../style/projects.css";
import { useEffect, useState } from "react";
import type { Project } from "../../protocol/projects.ts";
import { Composer } from "../chat/composer.tsx";
import { projectAddress } from "../shell/address.ts";
import { conversation, isNewChat } from "../state/conversation.ts";
import { person } from "../state/person.ts";
import { prefer } from "../state/preferences.ts";
import { openProject, readProject } from "../state/project-defaults.ts";
import { view } from "../state/view.ts";
import { t } from "../text/projects.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { useRoute } from "../ui/loaded.ts";
import { Menu } from "../ui/menu.tsx";
import { Chats } from "./chats.tsx";
import { Defaults } from "./defaults.tsx";
import { DeleteDialog, LeaveDialog, NewDialog, RenameDialog } from "./dialogs.tsx";
import { Files, uploadFiles } from "./files.tsx";
import { Instructions } from "./instructions.tsx";
import { MembersDialog } from "./members.tsx";
import { whenText } from "./when.ts";

/** All projects, or one of them. */
export function ProjectsPage() {
  const id = view((state) => state.projectId);
  return id === undefined ? <ProjectList /> : <ProjectPage key={id} id={id} />;
}

function ProjectList() {
  const listed = useRoute<{ projects: Project[] }>("/projects");
  const [making, setMaking] = useState(false);
  useTitle(t("projects"));
  return (
    <>
      <header className="top-bar" data-part="bar">
        <SidebarButton />
      </header>
      <div className="projects">
        <div className="projects-head">
          <h1>{t("projects")}</h1>
          <Button className="primary" onClick={() => setMaking(true)}>
            <Icon name="plus" size="small" />
            {t("newProject")}
          </Button>
        </div>
        {listed?.projects.length === 0 && <p className="projects-empty">{t("noProjects")}</p>}
        <ul className="project-rows">
          {listed?.projects.map((project) => (
            <li key={project.id}>
              <a href={projectAddress(project.id)}>
                <Icon name="folder" />
                <span>
                  <b dir="auto">{project.name}</b>
                  <small>{countsOf(project)}</small>
                </span>
                <small>{whenText(project.updatedAt)}</small>
              </a>
            </li>
          ))}
        </ul>
      </div>
      {making && <NewDialog onClose={() => setMaking(false)} />}
    </>
  );
}

function countsOf({ sessions, files, access, members }: Project): string {
  const parts = [t("chatsCount", { count: sessions }), t("filesCount", { count: files })];
  if (access !== "owner") parts.push(t("sharedWithYou"));
  else if (members > 0) parts.push(t("sharedCount", { count: members }));
  return parts.join(" · ");
}

function ProjectPage({ id }: { id: string }) {
  const project = openProject((state) => (state.project?.id === id ? state.project : undefined));
  const isNew = conversation(isNewChat);
  const [turn, setTurn] = useState(0);
  useTitle(project?.name ?? t("projects"));
  // The first question opens its conversation.
  useEffect(() => {
    if (!isNew) view.setState({ page: undefined });
  }, [isNew]);
  async function refresh(): Promise<void> {
    await readProject(id);
    setTurn((count) => count + 1);
  }
  const mayChange = project !== undefined && project.access !== "read";
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be dropped anywhere on the page
    <div
      className="project-page"
      onDrop={(event) => {
        if (!mayChange || event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        event.stopPropagation();
        void uploadFiles(id, event.dataTransfer.files, refresh);
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
            <Files project={project} turn={turn} refresh={refresh} />
            <Defaults project={project} refresh={refresh} />
          </aside>
        )}
      </div>
    </div>
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

function SidebarButton() {
  return (
    <IconButton
      icon="menu"
      label={t("openSidebar")}
      className="open-sidebar"
      aria-controls="sidebar"
      onClick={() => {
        if (matchMedia("(max-width: 760px)").matches) view.setState({ drawer: true });
        else prefer({ sidebarOpen: true });
      }}
    />
  );
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – Tackle`;
  }, [title]);
}
