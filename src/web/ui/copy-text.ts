import { t } from "../text/t.ts";

/** Copies a text. Browsers offer their clipboard on pages with HTTPS only; elsewhere it is copied from a field. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const { activeElement } = document;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.className = "unseen";
  // Nothing beside an open dialog can be selected.
  (activeElement?.closest("dialog") ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
  if (!isCopied) throw new Error(t("copyFailed"));
}
