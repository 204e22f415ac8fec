import { useState } from "react";
import { attempt, notify } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import type { OwnShare } from "../state/sharing.ts";
import "../style/sharing.css";
import { t } from "../text/share.ts";
import { dayText } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { useRoute } from "../ui/loaded.ts";

/** The person's links, each with what ends it. */
export function ShareList() {
  const [turn, setTurn] = useState(0);
  const shares = useRoute<{ shares: OwnShare[] }>("shares", turn)?.shares;
  async function end({ id, title }: OwnShare): Promise<void> {
    if (!(await attempt(() => ask("DELETE", `shares/${id}`)))) return;
    notify({ text: t("stoppedSharing", { title }) });
    setTurn(turn + 1);
  }
  return (
    <>
      <h4>{t("sharedLinks")}</h4>
      {shares?.length === 0 && <p className="hint">{t("noSharedLinks")}</p>}
      <div className="settings-rows">
        {shares?.map((share) => (
          <div key={share.id}>
            <span className="share-name">
              <a href={share.url} target="_blank" rel="noopener noreferrer">
                <b dir="auto">{share.title}</b>
              </a>
              <small>
                {t("sharedOn", { date: dayText(share.createdAt) })} ·{" "}
                {t("shareEndsOn", { date: dayText(share.expiresAt) })}
              </small>
            </span>
            <CopyButton text={share.url} label={t("copyLink")} />
            <Button className="small" onClick={() => void end(share)}>
              {t("stopSharing")}
            </Button>
          </div>
        ))}
      </div>
    </>
  );
}
