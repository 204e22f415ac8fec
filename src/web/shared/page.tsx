import type { SharedPage } from "../../protocol/shares.ts";
import { t } from "../text/share.ts";
import { dayText } from "../text/t.ts";
import { Mark } from "../ui/icons.tsx";
import { Reading } from "./reading.tsx";

/** The token of the link that is being read. */
const TOKEN = /^\/s\/([\w-]+)/.exec(location.pathname)?.[1] ?? "";

/** A conversation behind a link, or without one that it is gone. */
export function SharedConversation({ copy }: { copy: SharedPage | null }) {
  return (
    <>
      <header className="shared-bar" data-part="bar">
        <span className="shared-mark">
          <Mark />
          Tackle
        </span>
        {copy && (
          <a className="button primary" href={`/#/continue/${TOKEN}`}>
            {t("continueShared")}
          </a>
        )}
      </header>
      <main className="log-content" data-part="column">
        {copy ? <Copy copy={copy} /> : <Gone />}
      </main>
    </>
  );
}

function Gone() {
  return (
    <div className="shared-gone">
      <h1>{t("sharedGone")}</h1>
      <p>{t("sharedGoneHint")}</p>
      <a className="button" href="/">
        {t("toTackle")}
      </a>
    </div>
  );
}

function Copy({ copy: { title, by, sharedAt, messages } }: { copy: SharedPage }) {
  const date = dayText(sharedAt);
  return (
    <>
      <h1 className="shared-title" dir="auto">
        {title}
      </h1>
      <p className="shared-by">
        {by === undefined ? t("sharedOn", { date }) : t("sharedBy", { name: by, date })}
      </p>
      <Reading
        messages={messages}
        fileAddress={(fileId) => `/s/${TOKEN}/files/${encodeURIComponent(fileId)}`}
      />
    </>
  );
}
