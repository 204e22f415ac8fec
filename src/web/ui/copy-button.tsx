import { useState } from "react";
import { notifyFailure } from "../state/notices.ts";
import { t } from "../text/t.ts";
import { Icon } from "./icons.tsx";

/** Puts a text on the clipboard and says so for a moment. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 1_500);
    } catch (error) {
      notifyFailure(error);
    }
  }
  const name = copied ? t("copied") : (label ?? t("copy"));
  return (
    <button type="button" className="quiet" onClick={copy} aria-label={name} title={name}>
      <Icon name={copied ? "check" : "copy"} />
    </button>
  );
}
