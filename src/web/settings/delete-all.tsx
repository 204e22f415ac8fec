import { useState } from "react";
import { deleteAllSessions } from "../state/archive.ts";
import { attempt, notify } from "../state/notices.ts";
import { t } from "../text/settings.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** Deletes every conversation of the person, after one question. */
export function DeleteAll() {
  const [asking, setAsking] = useState(false);
  return (
    <div className="settings-rows settings-apart">
      <div>
        <span className="share-name">
          <small>{t("deleteAllHint")}</small>
        </span>
        <Button className="danger" onClick={() => setAsking(true)}>
          {t("deleteAll")}
        </Button>
      </div>
      {asking && <DeleteAllDialog onClose={() => setAsking(false)} />}
    </div>
  );
}

function DeleteAllDialog({ onClose }: { onClose(): void }) {
  const [isWorking, setWorking] = useState(false);
  async function deleteThem(): Promise<void> {
    setWorking(true);
    if (await attempt(deleteAllSessions)) notify({ text: t("deletedAll") });
    onClose();
  }
  return (
    <Dialog title={t("deleteAllQuestion")} className="narrow" onClose={onClose}>
      <p className="hint">{t("deleteAllWarning")}</p>
      <p className="choices">
        <Button className="danger" disabled={isWorking} onClick={deleteThem}>
          {t("deleteAll")}
        </Button>
        <Button onClick={onClose}>{t("cancel")}</Button>
      </p>
    </Dialog>
  );
}
