import { archiveSessions, deleteSessions } from "../state/archive.ts";
import { sessions } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { download } from "./download.ts";
import "../style/selection.css";

/** What can be done with all conversations that are selected. */
export function SelectionBar() {
  const selected = sessions((state) => state.selected);
  const { sessions: list, pinned } = sessions.getState();
  const all = [...pinned, ...list.filter((one) => !one.pinned)].filter(({ id }) => selected.includes(id));
  const clear = () => sessions.setState({ selected: [] });
  return (
    <div className="selection-bar" role="toolbar" aria-label={t("selectedCount", { count: selected.length })}>
      <span aria-live="polite">{t("selectedCount", { count: selected.length })}</span>
      <IconButton icon="close" label={t("cancel")} onClick={clear} />
      <Button className="quiet" onClick={() => archiveSessions(all)}>
        <Icon name="archive" size="small" />
        {t("archive")}
      </Button>
      <Button
        className="quiet"
        onClick={() => {
          clear();
          view.setState({ moving: all });
        }}
      >
        <Icon name="folder" size="small" />
        {t("moveAction")}
      </Button>
      <Button
        className="quiet"
        onClick={async () => {
          clear();
          for (const { id } of all) await download(id, "md");
        }}
      >
        <Icon name="download" size="small" />
        {t("exportAction")}
      </Button>
      <Button className="quiet danger" onClick={() => deleteSessions(all)}>
        <Icon name="trash" size="small" />
        {t("delete")}
      </Button>
    </div>
  );
}
