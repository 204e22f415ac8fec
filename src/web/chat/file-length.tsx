import type { Attachment } from "../../protocol/chat.ts";
import { sizeText, t } from "../text/t.ts";

/** How long a file is: in pages or rows, where they could be counted, else in bytes. */
export function FileLength({ of: { size, pageCount, rowCount } }: { of: Attachment }) {
  if (pageCount !== undefined) return <small>{t("filePages", { count: pageCount })}</small>;
  if (rowCount !== undefined) return <small>{t("fileRows", { count: rowCount })}</small>;
  return size === undefined ? null : <small>{sizeText(size)}</small>;
}
