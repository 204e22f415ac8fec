import { useEffect } from "react";
import { conversation } from "../state/conversation.ts";
import { focusDraft } from "../state/draft.ts";
import { go } from "../state/history.ts";
import { notify } from "../state/notices.ts";
import { openNew, openSession } from "../state/open-session.ts";
import { continueShared } from "../state/sharing.ts";
import { temporary } from "../state/temporary.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";

const ADMINISTRATION = "#/administration";

/** Opens the administration page. */
export function goToAdministration(): void {
  view.setState({ drawer: false, dialog: undefined });
  go(ADMINISTRATION);
}

/** Opens the page to sign in. After signing in, the person is back here. */
export function goToSignIn(): void {
  location.assign(`/sign-in${location.hash}`);
}

/** Returns the address of a section of the settings, or of the list of sections. */
export function settingsAddress(section: string): string {
  return `#/settings${section === "" ? "" : `/${section}`}`;
}

/** Opens the settings above what is open. */
export function goToSettings(section = ""): void {
  view.setState({ drawer: false, dialog: undefined });
  go(settingsAddress(section));
}

/** The address of what lies beneath the settings. */
let beneath: string | undefined;

/** Closes the settings. What lies beneath them is as it was. */
export function closeSettings(): void {
  history.replaceState(null, "", beneath ?? "#/");
  view.setState({ settings: undefined });
}

/** Opens a conversation, or an empty one. */
export function goTo(sessionId: string | undefined): void {
  view.setState({ drawer: false });
  const hash = sessionId === undefined ? "#/" : `#/s/${encodeURIComponent(sessionId)}`;
  if (location.hash === hash || (sessionId === undefined && location.hash === "")) {
    if (sessionId === undefined) openNew();
  } else go(hash);
  focusDraft();
}

async function openShared(token: string): Promise<void> {
  const sessionId = await continueShared(token);
  // Also without one: a reload must not copy it again.
  history.replaceState(null, "", "#/continued");
  goTo(sessionId);
}

/** Returns the address of a project, or of the list of all. */
export function projectAddress(id?: string): string {
  return `#/projects${id === undefined ? "" : `/${encodeURIComponent(id)}`}`;
}

/** Opens a project, or the list of all. */
export function goToProject(id?: string): void {
  view.setState({ drawer: false });
  go(projectAddress(id));
}

/** A service has sent the person back after a sign-in. */
function showConnected(name: string): void {
  notify({ text: t("connectedService", { name }) });
  location.replace(settingsAddress("tools"));
}

/** Keeps the address and the open conversation in sync. */
export function useAddress(): void {
  useEffect(() => {
    const read = () => {
      const connected = /^#\/connected\/([\w.-]{1,64})$/.exec(location.hash)?.[1];
      if (connected !== undefined) return showConnected(connected);
      const settings = /^#\/settings(?:\/([\w-]+))?$/.exec(location.hash);
      view.setState({ settings: settings ? (settings[1] ?? "") : undefined });
      if (settings || location.hash === beneath) return;
      beneath = location.hash || "#/";
      const project = /^#\/projects(?:\/([\w-]+))?$/.exec(location.hash);
      const page = project ? "projects" : location.hash === ADMINISTRATION ? "administration" : undefined;
      // The panel makes room beside a conversation, which other pages must not leave free.
      view.setState({ page, projectId: project?.[1], artifact: undefined });
      if (project) openNew(project[1]);
      if (page) return;
      const shared = /^#\/continue\/([\w-]+)$/.exec(location.hash)?.[1];
      if (shared !== undefined) return void openShared(shared);
      const id = /^#\/s\/([^/]+)$/.exec(location.hash)?.[1];
      if (id === undefined) openNew();
      else void openSession(decodeURIComponent(id));
    };
    beneath = undefined;
    read();
    addEventListener("hashchange", read);
    const stop = conversation.subscribe(({ sessionId }, before) => {
      if (sessionId === undefined || sessionId === before.sessionId) return;
      if (sessionId === temporary.getState().sessionId) return;
      beneath = `#/s/${encodeURIComponent(sessionId)}`;
      view.setState({ page: undefined });
      if (view.getState().settings === undefined) history.replaceState(null, "", beneath);
    });
    return () => {
      removeEventListener("hashchange", read);
      stop();
    };
  }, []);
}
