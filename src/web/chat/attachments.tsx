import { useEffect, useRef } from "react";
import { detach, forget } from "../state/attachments.ts";
import { type Draft, draft } from "../state/draft.ts";
import { stopUpload } from "../state/uploads.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { FileLength } from "./file-length.tsx";

/** The files of the message: attached, on their way, or refused with the reason. */
export function Attachments({ of = draft }: { of?: Draft }) {
  const { attachments, uploading, refused } = of();
  // The button that was pressed disappears.
  const removal = (name: string, remove: () => void) => (
    <IconButton
      icon="close"
      label={t("removeAttachment", { name })}
      onClick={() => {
        remove();
        of.setState(({ focus }) => ({ focus: focus + 1 }));
      }}
    />
  );
  const count = attachments.length + uploading.length + refused.length;
  const list = useRef<HTMLUListElement>(null);
  const shown = useRef(0);
  useEffect(() => {
    // The list scrolls when it is long. What was just added is at its end.
    if (count > shown.current) list.current?.scrollTo(0, list.current.scrollHeight);
    shown.current = count;
  }, [count]);
  if (count === 0) return null;
  return (
    <ul className="attachments" ref={list}>
      {attachments.map((attached) => {
        const { fileId, mimeType, name = fileId, url } = attached;
        return (
          <li key={fileId}>
            {/^image\/(?:png|jpeg|gif|webp)$/.test(mimeType) ? (
              <img src={url} alt="" />
            ) : (
              <span className="file-icon">
                <Icon name="file" />
              </span>
            )}
            <span>
              <span className="file-name" dir="auto">
                {name}
              </span>
              <FileLength of={attached} />
            </span>
            {removal(name, () => detach(fileId, of))}
          </li>
        );
      })}
      {uploading.map(({ key, name }) => (
        <li key={key} aria-busy="true">
          <span className="file-icon">
            <span className="ring" aria-hidden="true" />
          </span>
          <span>
            <span className="file-name" dir="auto">
              {name}
            </span>
            <small>{t("uploading")}</small>
          </span>
          {removal(name, () => stopUpload(key))}
        </li>
      ))}
      {refused.map(({ key, name, reason }) => (
        <li key={key} className="refused-file">
          <span className="file-icon">
            <Icon name="file" />
          </span>
          <span>
            <span className="file-name" dir="auto">
              {name}
            </span>
            <small role="alert">{reason}</small>
          </span>
          {removal(name, () => forget(key, of))}
        </li>
      ))}
    </ul>
  );
}
