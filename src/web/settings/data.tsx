import { ShareList } from "../sharing/share-list.tsx";
import { chooseImport } from "../state/imports.ts";
import { t } from "../text/settings.ts";
import { Button } from "../ui/button.tsx";

/** What is kept of the person: bring in, take out, delete. */
export function DataSettings() {
  return (
    <>
      <p className="choices">
        <Button onClick={chooseImport}>{t("importSessions")}</Button>
      </p>
      <ShareList />
    </>
  );
}
