import { connection } from "../state/connection.ts";
import { conversation } from "../state/conversation.ts";
import { person } from "../state/person.ts";
import type { Me } from "../state/server.ts";
import { sessions } from "../state/sessions.ts";
import { clockTime, t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { goTo, goToSignIn } from "./address.ts";
import { TrustBanner } from "./trust-banner.tsx";

const MAX_TITLE = 40;

/** Banners above the conversation: no connection, decisions needed elsewhere, what a guest has left. */
export function Banners() {
  const { online, reachable } = connection();
  const me = person((state) => state.me);
  const limits = me?.kind === "guest" ? me.limits : undefined;
  const limit = limits?.chat;
  return (
    <>
      {!(online && reachable) && (
        <p className="banner" data-part="banner" role="status">
          {t(online ? "unreachable" : "offline")}
        </p>
      )}
      <Waiting />
      <TrustBanner />
      {limit && (
        <p className="banner guest" data-part="banner">
          {t("guestLeft", {
            remaining: limit.remaining,
            limit: limit.limit,
            time: clockTime(new Date(limit.resetAt)),
          })}{" "}
          {toolsLeft(limits)}{" "}
          <Button className="link" onClick={goToSignIn}>
            {t("guestSignUp")}
          </Button>
        </p>
      )}
    </>
  );
}

const TOOL_ROWS = ["generate_artifact", "generate_image", "search", "web_fetch"] as const;

/** Says what a guest has left of the tools' limits. */
function toolsLeft(limits: Me["limits"]): string {
  const list = TOOL_ROWS.flatMap((row) => {
    const found = limits?.[row];
    return found ? [t(`row_${row}`, { remaining: found.remaining })] : [];
  });
  return list.length === 0 ? "" : t("guestToolsLeft", { list: list.join(", ") });
}

/** A banner that names another conversation in which a call waits for a decision. */
function Waiting() {
  const current = conversation((state) => state.sessionId);
  const list = sessions((state) => state.sessions);
  const [first, ...more] = list.filter(({ id, waiting }) => waiting && id !== current);
  if (!first) return null;
  return (
    <p className="banner waiting" data-part="banner" role="status">
      <Icon name="warning" />
      <span>
        {t("decisionWanted", { title: shorten(first.title) })}
        {more.length > 0 && ` ${t("decisionsMore", { count: more.length })}`}
      </span>
      <Button className="link" onClick={() => goTo(first.id)}>
        {t("openArtifact")}
      </Button>
    </p>
  );
}

function shorten(title: string): string {
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title;
}
