import { projectAddress } from "../shell/address.ts";
import { conversation } from "../state/conversation.ts";
import { openProject } from "../state/project-defaults.ts";
import { Icon } from "../ui/icons.tsx";

/** The project of the open conversation, before its title. */
export function ProjectCrumb() {
  const project = openProject((state) => state.project);
  const isTitled = conversation(({ title }) => title !== "");
  if (!project) return null;
  return (
    <a className="crumb" href={projectAddress(project.id)} title={project.name}>
      <span dir="auto">{project.name}</span>
      {isTitled && <Icon name="next" size="tiny" />}
    </a>
  );
}
