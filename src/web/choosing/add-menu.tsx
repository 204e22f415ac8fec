import { Suspense, useState } from "react";
import { chooseFiles } from "../chat/choose-files.ts";
import { chooseMode, useMode, useTool } from "../state/answering.ts";
import { conversation } from "../state/conversation.ts";
import { focusDraft } from "../state/draft.ts";
import { person } from "../state/person.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { loadLater } from "../ui/load-later.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";

const AnswerDialog = loadLater(async () => (await import("./answer-dialog.tsx")).AnswerDialog);

/** What can go into a message besides words: files, and what it is to become. */
export function AddMenu() {
  const [open, setOpen] = useState(false);
  const tools = person((state) => state.tools);
  const has = (name: string) => tools.some((tool) => tool.name === name);
  const modeItem = (chosen: "artifact" | "image", label: string): MenuItem => ({
    label,
    icon: chosen,
    run: () => {
      chooseMode(chosen);
      focusDraft();
    },
  });
  const items: MenuItem[] = [
    { label: t("attach"), icon: "file", run: () => chooseFiles() },
    ...(has("generate_artifact") ? [modeItem("artifact", t("modeArtifact"))] : []),
    ...(has("generate_image") ? [modeItem("image", t("modeImage"))] : []),
    { label: t("answering"), icon: "settings", apart: true, run: () => setOpen(true) },
  ];
  return (
    <>
      <Menu label={t("addToMessage")} items={items} align="start">
        <Icon name="attach" />
      </Menu>
      {open && (
        <Suspense>
          <AnswerDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

const ChosenChips = loadLater(async () => (await import("./chosen-chips.tsx")).ChosenChips);

/** What was chosen for the next message, each with a button to undo that. */
export function Chips() {
  const tool = useTool();
  const projectId = conversation((state) => (state.sessionId === undefined ? state.projectId : undefined));
  const isOnPage = view((state) => state.page === "projects");
  return (
    <span className="chips">
      <ModeChip />
      {(tool !== undefined || (projectId !== undefined && !isOnPage)) && (
        <Suspense>
          <ChosenChips />
        </Suspense>
      )}
    </span>
  );
}

/** Says what the next message is to become, with a button to undo that. */
function ModeChip() {
  const chosen = useMode();
  if (chosen === undefined) return null;
  return (
    <span className="mode-chip">
      {t(chosen === "image" ? "modeImage" : "modeArtifact")}
      <IconButton icon="close" label={t("modeOff")} onClick={() => chooseMode()} />
    </span>
  );
}
