import { lazy, Suspense, useEffect } from "react";
import { ArtifactPanel } from "./artifact/panel.tsx";
import { Announcer } from "./chat/announcer.tsx";
import { Composer } from "./chat/composer.tsx";
import { DropHint } from "./chat/drop-hint.tsx";
import { Log } from "./chat/log.tsx";
import { Palette } from "./dialogs/palette.tsx";
import { SettingsDialog } from "./dialogs/settings.tsx";
import { SignInDialog } from "./dialogs/sign-in.tsx";
import { useAddress } from "./shell/address.ts";
import { Banners } from "./shell/banners.tsx";
import { Sidebar } from "./shell/sidebar.tsx";
import { conversation, stop } from "./state/conversation.ts";
import { attach } from "./state/draft.ts";
import { prefer, preferences } from "./state/preferences.ts";
import { view } from "./state/view.ts";
import { t } from "./text/t.ts";
import { Icon } from "./ui/icons.tsx";
import { Notices } from "./ui/notices.tsx";

const AdministrationPage = lazy(async () => ({
  default: (await import("./administration/page.tsx")).AdministrationPage,
}));

/** The whole page. */
export function App() {
  useAddress();
  useKeys();
  // Another language is another text everywhere.
  const language = preferences((state) => state.language);
  const open = preferences((state) => state.sidebarOpen);
  const drawer = view((state) => state.drawer);
  const artifact = view((state) => state.artifact !== undefined);
  const page = view((state) => state.page);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files may be dropped anywhere on the page
    <div
      key={language}
      className="app"
      data-sidebar={open}
      data-drawer={drawer}
      data-artifact={artifact}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void attach(event.dataTransfer.files);
      }}
    >
      <Sidebar />
      {drawer && (
        <button
          type="button"
          className="veil"
          aria-label={t("closeSidebar")}
          onClick={() => view.setState({ drawer: false })}
        />
      )}
      <main className="main">
        {page === "administration" ? (
          <Suspense fallback={<p className="hint">{t("loading")}</p>}>
            <AdministrationPage />
          </Suspense>
        ) : (
          <>
            <TopBar />
            <Banners />
            <Log />
            <Composer />
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
  const title = conversation((state) => state.title);
  const open = preferences((state) => state.sidebarOpen);
  useEffect(() => {
    document.title = title === "" ? "Tackle" : `${title} – Tackle`;
  }, [title]);
  function toggle(): void {
    if (matchMedia("(max-width: 760px)").matches) view.setState(({ drawer }) => ({ drawer: !drawer }));
    else prefer({ sidebarOpen: !open });
  }
  return (
    <header className="top-bar">
      <button
        type="button"
        className="quiet"
        onClick={toggle}
        aria-controls="sidebar"
        aria-label={t(open ? "closeSidebar" : "openSidebar")}
        title={t("sessions")}
      >
        <Icon name="menu" />
      </button>
      <h1>{title || t("newChat")}</h1>
      <button
        type="button"
        className="quiet"
        onClick={() => view.setState({ dialog: "palette" })}
        aria-label={t("commands")}
        title={`${t("commands")} (Ctrl K)`}
      >
        <Icon name="search" />
      </button>
    </header>
  );
}

function Dialogs() {
  const dialog = view((state) => state.dialog);
  const close = () => view.setState({ dialog: undefined });
  if (dialog === "settings") return <SettingsDialog onClose={close} />;
  if (dialog === "sign-in") return <SignInDialog onClose={close} />;
  return dialog === "palette" ? <Palette onClose={close} /> : null;
}

function useKeys(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        view.setState({ dialog: "palette" });
      } else if (event.key === "Escape" && !event.defaultPrevented && view.getState().dialog === undefined) {
        if (view.getState().drawer) view.setState({ drawer: false });
        else void stop();
      }
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}
