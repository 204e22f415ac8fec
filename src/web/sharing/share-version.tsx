import "../style/sharing.css";
import { t } from "../text/share.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CopyLink } from "./copy-link.tsx";

interface Props {
  title: string;
  version: number;
  /** The address of the page that shows this version. */
  url: string;
  onClose(): void;
}

/** The link to one version of an artifact. */
export function ShareVersion({ title, version, url, onClose }: Props) {
  return (
    <Dialog
      title={t("shareVersion", { version })}
      onClose={onClose}
      className="share-dialog"
      part="share-version"
    >
      <p className="share-says">{t("shareVersionSays", { title })}</p>
      <CopyLink url={url} />
      <footer className="share-foot">
        <span />
        <Button onClick={onClose}>{t("shareDone")}</Button>
      </footer>
    </Dialog>
  );
}
