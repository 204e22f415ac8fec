import { useState } from "react";
import type { OwnShare } from "../state/sharing.ts";
import "../style/sharing.css";
import { t } from "../text/share.ts";
import { dayText } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { useRoute } from "../ui/loaded.ts";
import { StopSharing } from "./stop-sharing.tsx";

/** The person's links, each with what ends it. */
export function ShareList() {
  const [turn, setTurn] = useState(0);
  const shares = useRoute<{ shares: OwnShare[] }>("shares", turn)?.shares;
  const [ending, setEnding] = useState<OwnShare>();
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
            <Button className="small" onClick={() => setEnding(share)}>
              {t("stopSharing")}
            </Button>
          </div>
        ))}
      </div>
      {ending && (
        <StopSharing share={ending} onEnded={() => setTurn(turn + 1)} onClose={() => setEnding(undefined)} />
      )}
    </>
  );
}
