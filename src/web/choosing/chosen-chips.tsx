import { chooseTool, useTool } from "../state/answering.ts";
import { conversation } from "../state/conversation.ts";
import { openProject } from "../state/project-defaults.ts";
import { view } from "../state/view.ts";
import { t } from "../text/choosing.ts";
import { IconButton } from "../ui/button.tsx";
import { leaveProject } from "./put-into-message.ts";
import { toolName } from "./tool-names.ts";

/** What was chosen for the message with an @: its tool, and the project that it begins in. */
export function ChosenChips() {
  const tool = useTool();
  const isNew = conversation((state) => state.sessionId === undefined);
  const isOnPage = view((state) => state.page === "projects");
  const project = openProject((state) => state.project);
  return (
    <>
      {isNew && !isOnPage && project && (
        <span className="mode-chip" data-part="project-chip">
          <span dir="auto">{project.name}</span>
          <IconButton
            icon="close"
            label={t("beginElsewhere", { name: project.name })}
            onClick={leaveProject}
          />
        </span>
      )}
      {tool !== undefined && (
        <span className="mode-chip" data-part="tool-chip">
          {t("useTool", { tool: toolName(tool) })}
          <IconButton icon="close" label={t("useToolOff")} onClick={() => chooseTool()} />
        </span>
      )}
    </>
  );
}
