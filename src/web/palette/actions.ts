import { SECTIONS } from "../settings/sections.ts";
import { goTo, goToAdministration, goToProject, goToSettings } from "../shell/address.ts";
import { download } from "../shell/download.ts";
import { toggleSidebar } from "../shell/keys.ts";
import { openConversation } from "../shell/session-items.ts";
import { archiveSessions, deleteSessions } from "../state/archive.ts";
import { conversation } from "../state/conversation.ts";
import { focusDraft } from "../state/draft.ts";
import { chooseImport } from "../state/imports.ts";
import { stop } from "../state/live-run.ts";
import { attempt } from "../state/notices.ts";
import { mayAdminister, person } from "../state/person.ts";
import { prefer } from "../state/preferences.ts";
import { rollBack } from "../state/roll-back.ts";
import { togglePin } from "../state/sessions.ts";
import { summarize } from "../state/summarize.ts";
import { toggleTemporary } from "../state/temporary.ts";
import { view } from "../state/view.ts";
import { t } from "../text/palette.ts";
import { t as settingsText } from "../text/settings.ts";
import type { IconName } from "../ui/icons.tsx";

export interface Action {
  id: string;
  label: string;
  icon: IconName;
  /** The keys that do the same, as `shortcuts.ts` names them. */
  keys?: string;
  run(): void;
}

/** Returns everything that can be done now. */
export function actions(): Action[] {
  const { live } = conversation.getState();
  return [
    { id: "new", label: t("newChat"), icon: "compose", keys: "⌘⇧O", run: () => goTo(undefined) },
    { id: "temporary", label: t("temporaryChat"), icon: "temporary", run: startTemporary },
    { id: "write", label: t("focusMessage"), icon: "edit", run: focusDraft },
    ...(live
      ? [{ id: "stop", label: t("stop"), icon: "stop" as const, keys: "Esc", run: () => void stop() }]
      : []),
    ...ofConversation(),
    { id: "projects", label: t("projects"), icon: "folder", run: () => goToProject() },
    {
      id: "archived",
      label: t("openArchive"),
      icon: "archive",
      run: () => view.setState({ dialog: "archive" }),
    },
    { id: "import", label: t("importSessions"), icon: "data", run: chooseImport },
    ...settings(),
    ...(mayAdminister(person.getState().me)
      ? [
          {
            id: "administration",
            label: t("administration"),
            icon: "person" as const,
            run: goToAdministration,
          },
        ]
      : []),
    { id: "sidebar", label: t("toggleSidebar"), icon: "sidebar", keys: "⌘⇧S", run: toggleSidebar },
    ...(["light", "dark", "system"] as const).map((theme) => ({
      id: theme,
      label: `${t("theme")}: ${t(theme)}`,
      icon: "settings" as const,
      run: () => prefer({ theme }),
    })),
    { id: "keys", label: t("allShortcuts"), icon: "key", keys: "?", run: openShortcuts },
  ];
}

function startTemporary(): void {
  goTo(undefined);
  setTimeout(toggleTemporary);
}

/** Shows all shortcuts. */
export function openShortcuts(): void {
  view.setState({ dialog: "shortcuts" });
}

function settings(): Action[] {
  const { me } = person.getState();
  return SECTIONS.filter(({ isFor }) => isFor?.(me) ?? true).map(({ name, title, icon }) => ({
    id: `settings-${name}`,
    label: name === "usage" ? t("openUsage") : t("openSection", { section: settingsText(title) }),
    icon,
    run: () => goToSettings(name),
  }));
}

/** What can be done with the conversation that is open. */
function ofConversation(): Action[] {
  const { sessionId, live } = conversation.getState();
  const session = openConversation();
  if (sessionId === undefined) return [];
  return [
    ...(session
      ? [
          {
            id: "rename",
            label: t("rename"),
            icon: "edit" as const,
            run: () => view.setState({ renaming: session }),
          },
          {
            id: "pin",
            label: t(session.pinned ? "unpin" : "pin"),
            icon: "pin" as const,
            run: () => void togglePin(session),
          },
          {
            id: "move",
            label: t("moveToProject"),
            icon: "folder" as const,
            run: () => view.setState({ moving: [session] }),
          },
          {
            id: "share",
            label: t("share"),
            icon: "share" as const,
            run: () => view.setState({ over: { kind: "share", sessionId } }),
          },
          {
            id: "archive",
            label: t("archive"),
            icon: "archive" as const,
            run: () => archiveSessions([session]),
          },
          {
            id: "delete",
            label: t("delete"),
            icon: "trash" as const,
            run: () => deleteSessions([session]),
          },
        ]
      : []),
    {
      id: "tree",
      label: t("allVersions"),
      icon: "branch",
      run: () => view.setState({ over: { kind: "tree", sessionId } }),
    },
    {
      id: "pdf",
      label: t("savePdf"),
      icon: "download",
      run: () => view.setState({ over: { kind: "print", sessionId } }),
    },
    { id: "md", label: t("exportMarkdown"), icon: "download", run: () => void download(sessionId, "md") },
    { id: "json", label: t("exportJson"), icon: "download", run: () => void download(sessionId, "json") },
    ...(live
      ? []
      : [
          {
            id: "compact",
            label: t("compact"),
            icon: "thought" as const,
            run: () => void attempt(() => summarize(sessionId)),
          },
        ]),
    {
      id: "rollback",
      label: t("rollback"),
      icon: "retry",
      run: () => void rollBack(sessionId),
    },
  ];
}
