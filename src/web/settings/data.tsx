import { ArchivedList } from "../palette/archive.tsx";
import { ExportAll } from "../sharing/export-all.tsx";
import { ShareList } from "../sharing/share-list.tsx";
import { closeSettings } from "../shell/address.ts";
import { chooseImport } from "../state/imports.ts";
import { t } from "../text/settings.ts";
import { Button } from "../ui/button.tsx";
import { DeleteAll } from "./delete-all.tsx";

/** What is kept of the person: bring in, take out, delete. */
export function DataSettings() {
  return (
    <>
      <div className="settings-rows">
        <div>
          <span className="share-name">
            <small>{t("importHint")}</small>
          </span>
          <Button onClick={chooseImport}>{t("importSessions")}</Button>
        </div>
      </div>
      <ExportAll />
      <ShareList />
      <h4>{t("archived")}</h4>
      <ArchivedList onOpen={closeSettings} />
      <DeleteAll />
    </>
  );
}
