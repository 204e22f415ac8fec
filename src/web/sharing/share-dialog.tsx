import { useState } from "react";
import { attempt } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import type { OwnPreview, OwnShare } from "../state/sharing.ts";
import "../style/sharing.css";
import { t } from "../text/share.ts";
import { dayText } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useLoaded } from "../ui/loaded.ts";
import { Select } from "../ui/select.tsx";
import { SwitchRow } from "../ui/switch.tsx";
import { CopyLink } from "./copy-link.tsx";
import { StopSharing } from "./stop-sharing.tsx";

const DAYS = [1, 7, 30, 90, 365] as const;
/** Stands for the day on which a link ends already. Whatever else is chosen counts from now. */
const AS_IT_IS = 0;

interface Wanted {
  steps: boolean;
  files: boolean;
  hideKeys: boolean;
  days: number;
}

/** Makes a link to a conversation, and changes what it shows. */
export function ShareDialog({ sessionId, onClose }: { sessionId: string; onClose(): void }) {
  const path = `sessions/${encodeURIComponent(sessionId)}/share`;
  const preview = useLoaded(path, () => ask<OwnPreview>("GET", path));
  return (
    <Dialog title={t("shareTitle")} onClose={onClose} className="share-dialog" part="share">
      {preview ? (
        <ShareForm path={path} preview={preview} onClose={onClose} />
      ) : (
        <div className="share-waiting" aria-busy="true" />
      )}
    </Dialog>
  );
}

function ShareForm({ path, preview, onClose }: { path: string; preview: OwnPreview; onClose(): void }) {
  const [share, setShare] = useState<OwnShare | undefined>(preview.shares[0]);
  const [wanted, setWanted] = useState<Wanted>(() => wantedIn(preview.shares[0]));
  const [busy, setBusy] = useState(false);
  const [ending, setEnding] = useState(false);

  async function work(request: () => Promise<OwnShare | undefined>): Promise<void> {
    setBusy(true);
    await attempt(async () => setShare(await request()));
    setBusy(false);
  }

  function change(changed: Partial<Wanted>): void {
    setWanted({ ...wanted, ...changed });
    if (share && changed.days !== AS_IT_IS)
      void work(() => ask<OwnShare>("PATCH", `shares/${share.id}`, changed));
  }

  if (preview.messages === 0 && !share) return <p className="share-says">{t("shareEmpty")}</p>;
  const { keys, files, hasSteps } = preview;
  return (
    <>
      <p className="share-says">{saying(share ?? preview, share !== undefined)}</p>
      {share ? (
        <CopyLink url={share.url} />
      ) : (
        <Button
          className="primary share-create"
          disabled={busy}
          onClick={() => void work(() => ask<OwnShare>("POST", path, wanted))}
        >
          {t("createLink")}
        </Button>
      )}
      {share?.outdated && (
        <p className="share-newer">
          {t("shareNewer")}{" "}
          <Button
            className="link"
            disabled={busy}
            onClick={() => void work(() => ask<OwnShare>("PATCH", `shares/${share.id}`, { update: true }))}
          >
            {t("shareUpdate")}
          </Button>
        </p>
      )}
      <div className="share-rows">
        {keys > 0 && (
          <SwitchRow
            label={t("shareKeys")}
            hint={t("shareKeysHint", { count: keys })}
            on={wanted.hideKeys}
            onSwitch={(hideKeys) => change({ hideKeys })}
          />
        )}
        {(hasSteps || wanted.steps) && (
          <SwitchRow
            label={t("shareSteps")}
            hint={t("shareStepsHint")}
            on={wanted.steps}
            onSwitch={(steps) => change({ steps })}
          />
        )}
        {(files.length > 0 || wanted.files) && (
          <SwitchRow
            label={t("shareFiles")}
            hint={kindsOf(files)}
            on={wanted.files}
            onSwitch={(chosen) => change({ files: chosen })}
          />
        )}
        <div className="switch-row">
          <Select
            label={t("shareEnds")}
            value={share ? AS_IT_IS : wanted.days}
            options={[
              ...(share ? [{ value: AS_IT_IS, text: t("shareOn", { date: dayText(share.expiresAt) }) }] : []),
              ...DAYS.map((value) => ({ value, text: t("shareIn", { count: value }) })),
            ]}
            onChoose={(days) => change({ days })}
          />
        </div>
      </div>
      <footer className="share-foot">
        {share && (
          <Button className="danger quiet" disabled={busy} onClick={() => setEnding(true)}>
            {t("stopSharing")}
          </Button>
        )}
        <span />
        <Button onClick={onClose}>{t("shareDone")}</Button>
      </footer>
      {share && ending && (
        <StopSharing share={share} onEnded={() => setShare(undefined)} onClose={() => setEnding(false)} />
      )}
    </>
  );
}

function wantedIn(share: OwnShare | undefined): Wanted {
  if (!share) return { steps: false, files: false, hideKeys: true, days: 30 };
  const { steps, files, hideKeys } = share;
  return { steps, files, hideKeys, days: 30 };
}

function saying(
  { messages, artifacts }: Pick<OwnPreview, "messages" | "artifacts">,
  shared: boolean,
): string {
  const values = {
    messages: t("shareMessages", { count: messages }),
    pages: t("sharePages", { count: artifacts }),
  };
  if (shared) return t(artifacts > 0 ? "shareNowWith" : "shareNow", values);
  return t(artifacts > 0 ? "shareWillWith" : "shareWill", values);
}

function kindsOf(types: readonly string[]): string {
  const count = types.length;
  if (types.every((type) => type === "application/pdf")) return t("sharePdfs", { count });
  if (types.every((type) => type.startsWith("image/"))) return t("shareImages", { count });
  return t("shareFilesHint", { count });
}
