import { Suspense, useEffect } from "react";
import { ArtifactPanel, usePanelStyle } from "./artifact/artifact-panel.tsx";
import { Announcer } from "./chat/announcer.tsx";
import { BackgroundCommands } from "./chat/background-commands.tsx";
import { Composer } from "./chat/composer.tsx";
import { DropHint } from "./chat/drop-hint.tsx";
import { Log } from "./chat/log.tsx";
import { QuestionsLeft, SendsLater } from "./chat/questions-left.tsx";
import { WaitingMessages } from "./chat/waiting.tsx";
import { Suggestions } from "./chat/welcome.tsx";
import { TypedEarly } from "./palette/typed-early.ts";
import { ProjectCrumb } from "./projects/crumb.tsx";
import { goTo, useAddress } from "./shell/address.ts";
import { Banners } from "./shell/banners.tsx";
import { BarTitle } from "./shell/bar-title.tsx";
import { ConnectionBanner } from "./shell/connection-banner.tsx";
import { showSidebar, useKeys } from "./shell/keys.ts";
import { Sidebar } from "./shell/sidebar.tsx";
import { TemporaryButton, TemporaryLine } from "./shell/temporary.tsx";
import { titlePage } from "./shell/title.ts";
import { attach } from "./state/attachments.ts";
import { conversation, isNewChat } from "./state/conversation.ts";
import { focusDraft } from "./state/draft.ts";
import { preferences } from "./state/preferences.ts";
import { countWaiting, sessions } from "./state/sessions.ts";
import { temporary } from "./state/temporary.ts";
import { view } from "./state/view.ts";
import { dateText, t } from "./text/t.ts";
import { shownLanguage } from "./text/translate.ts";
import { Awaited } from "./ui/awaited.tsx";
import { Button, IconButton } from "./ui/button.tsx";
import { loadLater } from "./ui/load-later.ts";
import { Notices } from "./ui/notices.tsx";
import { shortcut } from "./ui/platform.ts";

const Over = loadLater(async () => (await import("./sharing/over.tsx")).Over);
const AdministrationPage = loadLater(
  async () => (await import("./administration/page.tsx")).AdministrationPage,
);

const ProjectsPage = loadLater(async () => (await import("./projects/page.tsx")).ProjectsPage);

const SettingsDialog = loadLater(async () => (await import("./settings/dialog.tsx")).SettingsDialog);

const Palette = loadLater(async () => (await import("./palette/palette.tsx")).Palette);
const Shortcuts = loadLater(async () => (await import("./palette/shortcuts.tsx")).Shortcuts);
const ArchiveDialog = loadLater(async () => (await import("./palette/archive.tsx")).ArchiveDialog);
const RenameConversation = loadLater(async () => (await import("./palette/rename.tsx")).RenameConversation);

/** The whole app. */
export function App() {
  useAddress();
  useKeys();
  // The key below remounts everything when the language changes.
  const language = shownLanguage((state) => state.language);
  const open = preferences((state) => state.sidebarOpen);
  const drawer = view((state) => state.drawer);
  const artifact = view((state) => state.artifact !== undefined);
  const page = view((state) => state.page);
  const isNew = conversation(isNewChat);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be dropped anywhere on the page
    <div
      key={language}
      className="app"
      data-sidebar={open}
      data-drawer={drawer}
      data-artifact={artifact}
      style={usePanelStyle()}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void attach(event.dataTransfer.files);
      }}
    >
      {page === undefined && (
        // biome-ignore lint/a11y/useValidAnchor: a link that skips, in an app whose address has another use
        <a
          className="skip"
          href="#message-box"
          onClick={(event) => {
            event.preventDefault();
            focusDraft();
          }}
        >
          {t("skipToMessage")}
        </a>
      )}
      <Sidebar />
      {drawer && (
        <Button
          className="veil"
          aria-label={t("closeSidebar")}
          onClick={() => view.setState({ drawer: false })}
        />
      )}
      <main className="main" data-new={page === undefined && isNew}>
        <ConnectionBanner />
        {page !== undefined && <Banners />}
        {page !== undefined ? (
          <Suspense fallback={<Awaited of="page" />}>
            {page === "projects" ? <ProjectsPage /> : <AdministrationPage />}
          </Suspense>
        ) : (
          <>
            <TopBar />
            <Banners />
            <TemporaryLine />
            <Log />
            <BackgroundCommands />
            <QuestionsLeft />
            <SendsLater />
            <WaitingMessages />
            <Composer />
            {isNew && <Suggestions />}
          </>
        )}
      </main>
      <ArtifactPanel />
      <Announcer />
      <DropHint />
      <Notices />
      <Dialogs />
    </div>
  );
}

function TopBar() {
  const decisions = sessions(countWaiting);
  const title = conversation((state) => state.title);
  const sessionId = conversation((state) => state.sessionId);
  const isTemporary = temporary((state) => state.on);
  const begun = conversation((state) => state.messages[0]?.createdAt);
  useEffect(() => titlePage(title, decisions), [title, decisions]);
  return (
    <header className="top-bar" data-part="bar">
      <IconButton
        icon="menu"
        label={t("openSidebar")}
        className="open-sidebar"
        onClick={showSidebar}
        aria-controls="sidebar"
      />
      <ProjectCrumb />
      <BarTitle title={title} />
      <span className="print-date">{begun && dateText(begun)}</span>
      <TemporaryButton />
      <IconButton
        icon="compose"
        label={t("newChat")}
        className="bar-compose"
        onClick={() => goTo(undefined)}
      />
      {sessionId !== undefined && !isTemporary && (
        <IconButton
          icon="share"
          label={t("share")}
          className="bar-share"
          onClick={() => view.setState({ over: { kind: "share", sessionId } })}
        />
      )}
      <IconButton
        icon="search"
        label={t("commands")}
        onClick={() => view.setState({ dialog: "palette" })}
        className="bar-search"
        title={`${t("commands")} (${shortcut("K")})`}
      />
    </header>
  );
}

const MoveDialog = loadLater(async () => (await import("./projects/move.tsx")).MoveDialog);

function Dialogs() {
  const dialog = view((state) => state.dialog);
  const settings = view((state) => state.settings);
  const over = view((state) => state.over !== undefined);
  const moving = view((state) => state.moving);
  const renaming = view((state) => state.renaming);
  const close = () => view.setState({ dialog: undefined });
  if (over)
    return (
      <Suspense fallback={null}>
        <Over />
      </Suspense>
    );
  return (
    <Suspense fallback={dialog === "palette" ? <TypedEarly /> : null}>
      {moving && <MoveDialog sessions={moving} />}
      {dialog === "palette" ? (
        <Palette onClose={close} />
      ) : dialog === "shortcuts" ? (
        <Shortcuts onClose={close} />
      ) : dialog === "archive" ? (
        <ArchiveDialog onClose={close} />
      ) : renaming ? (
        <RenameConversation session={renaming} />
      ) : (
        settings !== undefined && <SettingsDialog section={settings} />
      )}
    </Suspense>
  );
}
