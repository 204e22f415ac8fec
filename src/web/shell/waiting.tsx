import { conversation } from "../state/conversation.ts";
import { sessions } from "../state/sessions.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { goTo } from "./address.ts";

const MAX_TITLE = 40;

/** Conversations elsewhere in which a call waits for a decision: said on every open page until somebody decides. */
export function Waiting() {
  const current = conversation((state) => state.sessionId);
  const list = sessions((state) => state.sessions);
  const [first, ...more] = list.filter(({ id, waiting }) => waiting && id !== current);
  if (!first) return null;
  return (
    <p className="banner waiting" role="status">
      <Icon name="warning" />
      <span>
        {t("decisionWanted", { title: shortened(first.title) })}
        {more.length > 0 && ` ${t("decisionsMore", { count: more.length })}`}
      </span>
      <button type="button" className="link" onClick={() => goTo(first.id)}>
        {t("openArtifact")}
      </button>
    </p>
  );
}

function shortened(title: string): string {
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title;
}
