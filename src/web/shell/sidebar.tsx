import { Suspense } from "react";
import { conversation } from "../state/conversation.ts";
import { person } from "../state/person.ts";
import { prefer } from "../state/preferences.ts";
import { sessions } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon, Mark } from "../ui/icons.tsx";
import { loadLater } from "../ui/load-later.ts";
import { shortcut } from "../ui/platform.ts";
import { goTo, goToSettings, goToSignIn } from "./address.ts";
import { ProjectsRow } from "./projects-row.tsx";
import { SessionList } from "./session-list.tsx";

const SelectionBar = loadLater(async () => (await import("./selection-bar.tsx")).SelectionBar);

/** The conversations, newest first, and the person. */
export function Sidebar() {
  const selecting = sessions((state) => state.selected.length > 0);
  const current = conversation((state) => state.sessionId);
  const page = view((state) => state.page);
  const isDrawer = view((state) => state.drawer);
  return (
    <nav className="sidebar" data-part="sidebar" id="sidebar" aria-label={t("sessions")}>
      <div className="sidebar-top">
        <span className="brand">
          <Mark />
          Tackle
        </span>
        <IconButton
          icon={isDrawer ? "close" : "sidebar"}
          label={t("closeSidebar")}
          onClick={hide}
          aria-controls="sidebar"
        />
      </div>
      <Button
        className="nav-row"
        aria-current={current === undefined && page === undefined ? "page" : undefined}
        onClick={() => goTo(undefined)}
      >
        <Icon name="compose" />
        {t("newChat")}
        <kbd>{shortcut("O", true)}</kbd>
      </Button>
      <Button className="nav-row" onClick={() => view.setState({ dialog: "palette" })}>
        <Icon name="search" />
        {t("search")}
        <kbd>{shortcut("K")}</kbd>
      </Button>
      <ProjectsRow />
      <SessionList />
      {selecting ? (
        <Suspense fallback={null}>
          <SelectionBar />
        </Suspense>
      ) : (
        <PersonRow />
      )}
    </nav>
  );
}

function PersonRow() {
  const me = person((state) => state.me);
  const name =
    me?.kind === "account" ? me.name || me.email || me.id : t(me?.kind === "guest" ? "signIn" : "local");
  const who = (
    <>
      <span className="face" aria-hidden="true">
        {me?.kind === "account" ? name.slice(0, 1).toUpperCase() : <Icon name="person" size="small" />}
      </span>
      <span>{name}</span>
    </>
  );
  return (
    <div className="who">
      <Button onClick={() => (me?.kind === "guest" ? goToSignIn() : goToSettings())}>{who}</Button>
      <IconButton icon="settings" label={t("settings")} onClick={() => goToSettings()} />
    </div>
  );
}

/** On a phone the sidebar lies above the conversation; elsewhere the person hides it for good. */
function hide(): void {
  if (view.getState().drawer) view.setState({ drawer: false });
  else prefer({ sidebarOpen: false });
}
