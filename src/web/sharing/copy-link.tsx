import { useState } from "react";
import { attempt } from "../state/notices.ts";
import { t } from "../text/share.ts";
import { Button } from "../ui/button.tsx";
import { copyText } from "../ui/copy-text.ts";

/** A link in a field, and a button that copies it. */
export function CopyLink({ url }: { url: string }) {
  const [copied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    if (!(await attempt(() => copyText(url)))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  }
  return (
    <div className="copy-link">
      <input
        readOnly
        aria-label={t("shareLink")}
        value={url.replace(/^https?:\/\//, "")}
        dir="ltr"
        onFocus={({ target }) => target.select()}
      />
      <Button className="primary" onClick={copy} aria-live="polite">
        {t(copied ? "linkCopied" : "copyLink")}
      </Button>
    </div>
  );
}
