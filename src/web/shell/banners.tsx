import { newVersion } from "../installed/new-version.ts";
import { conversation } from "../state/conversation.ts";
import { sessions, shortTitle } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useMatches } from "../ui/matches.ts";
import { goTo } from "./address.ts";
import { TrustBanner } from "./trust-banner.tsx";

/** Banners below the bar: a decision that is needed elsewhere, instructions of the folder. */
export function Banners() {
  return (
    <>
      <NewVersion />
      <Waiting />
      <TrustBanner />
    </>
  );
}

/** A banner that offers to load the newer version of the app. */
function NewVersion() {
  if (!newVersion().ready) return null;
  return (
    <p className="banner" data-part="banner" role="status">
      {t("newVersionReady")}{" "}
      <Button className="link" onClick={() => location.reload()}>
        {t("reload")}
      </Button>
    </p>
  );
}

/** A banner that names another conversation in which a call waits for a decision. */
function Waiting() {
  const current = conversation((state) => state.sessionId);
  const list = sessions((state) => state.waiting);
  const elsewhere = view(({ page }) => page !== undefined);
  // There it has two short lines, and what is wanted must be in them.
  const most = useMatches("(max-width: 759px)") ? 14 : undefined;
  const [first, ...more] = list.filter(({ id }) => elsewhere || id !== current);
  if (!first) return null;
  return (
    <p className="banner waiting" data-part="banner" role="status">
      <span className="dot" data-waiting />
      <span dir="auto">
        {t("decisionWanted", { title: shortTitle(first.title, most) })}
        {more.length > 0 && ` · ${t("decisionsMore", { count: more.length })}`}
      </span>
      <Button className="link" onClick={() => goTo(first.id)}>
        {t("openArtifact")}
      </Button>
    </p>
  );
}
