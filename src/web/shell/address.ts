import { useEffect } from "react";
import { conversation } from "../state/conversation.ts";
import { focusDraft } from "../state/draft.ts";
import { openNew, openSession } from "../state/open-session.ts";
import { view } from "../state/view.ts";

const ADMINISTRATION = "#/administration";

/** Opens the administration page. */
export function goToAdministration(): void {
  view.setState({ drawer: false, dialog: undefined });
  location.hash = ADMINISTRATION;
}

/** Opens a conversation, or an empty one. */
export function goTo(sessionId: string | undefined): void {
  view.setState({ drawer: false });
  const hash = sessionId === undefined ? "#/" : `#/s/${encodeURIComponent(sessionId)}`;
  if (location.hash === hash || (sessionId === undefined && location.hash === "")) {
    if (sessionId === undefined) openNew();
  } else location.hash = hash;
  focusDraft();
}

/** Keeps the address and the open conversation in sync. */
export function useAddress(): void {
  useEffect(() => {
    const read = () => {
      const page = location.hash === ADMINISTRATION ? "administration" : undefined;
      view.setState({ page });
      if (page) return;
      const id = /^#\/s\/([^/]+)$/.exec(location.hash)?.[1];
      view.setState({ artifact: undefined });
      if (id === undefined) openNew();
      else void openSession(decodeURIComponent(id));
    };
    read();
    addEventListener("hashchange", read);
    const stop = conversation.subscribe(({ sessionId }, before) => {
      if (sessionId === undefined || sessionId === before.sessionId) return;
      history.replaceState(null, "", `#/s/${encodeURIComponent(sessionId)}`);
    });
    return () => {
      removeEventListener("hashchange", read);
      stop();
    };
  }, []);
}
