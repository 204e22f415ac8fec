import { useState } from "react";
import { attempt } from "../state/notices.ts";
import { t } from "../text/t.ts";
import { IconButton } from "./button.tsx";
import { copyText } from "./copy-text.ts";

/** Copies a text and confirms it for a moment. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    if (!(await attempt(() => copyText(text)))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  }
  const name = copied ? t("copied") : (label ?? t("copy"));
  return <IconButton icon={copied ? "check" : "copy"} label={name} onClick={copy} />;
}
