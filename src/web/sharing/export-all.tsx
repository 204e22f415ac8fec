import { t } from "../text/share.ts";

/** Downloads all conversations. The server writes them one after the other. */
export function ExportAll() {
  return (
    <div className="settings-rows">
      <div>
        <span className="share-name">
          <small>{t("exportAllHint")}</small>
        </span>
        <a className="button" href="/me/export" download>
          {t("exportAll")}
        </a>
      </div>
    </div>
  );
}
