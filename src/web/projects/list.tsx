import { useEffect, useRef, useState } from "react";
import type { Project } from "../../protocol/projects.ts";
import { projectAddress } from "../shell/address.ts";
import { showSidebar } from "../shell/keys.ts";
import { openProject } from "../state/project-defaults.ts";
import { t } from "../text/projects.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { useRoute } from "../ui/loaded.ts";
import { NewDialog } from "./dialogs.tsx";
import { useProjectSearch } from "./search.tsx";
import { whenText } from "./when.ts";

/** All projects of the person, the last used first. */
export function ProjectList() {
  const [turn, setTurn] = useState(0);
  const changes = openProject((state) => state.changes);
  const listed = useRoute<{ projects: Project[] }>("/projects", turn + changes);
  const [making, setMaking] = useState(false);
  const { field, found } = useProjectSearch(listed?.projects);
  useTitle(t("projects"));
  useReturn(() => setTurn((count) => count + 1));
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
        {field}
        <ul className="project-rows">
          {found?.map((project) => (
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

export function SidebarButton() {
  return (
    <IconButton
      icon="menu"
      label={t("openSidebar")}
      className="open-sidebar"
      aria-controls="sidebar"
      onClick={showSidebar}
    />
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – Tackle`;
  }, [title]);
}

/** Runs when the person comes back to this tab: projects may have changed in another one. */
export function useReturn(run: () => void): void {
  const newest = useRef(run);
  newest.current = run;
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && newest.current();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
}
