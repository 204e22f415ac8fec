import { useState } from "react";
import { deleteAllSessions } from "../state/archive.ts";
import { notify } from "../state/notices.ts";
import { t } from "../text/settings.ts";
import { Button } from "../ui/button.tsx";
import { Sure } from "../ui/sure.tsx";

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
      {asking && (
        <Sure
          title={t("deleteAllQuestion")}
          text={t("deleteAllWarning")}
          action={t("deleteAll")}
          run={deleteThem}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

async function deleteThem(): Promise<void> {
  await deleteAllSessions();
  notify({ text: t("deletedAll") });
}
