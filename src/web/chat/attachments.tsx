import { detach, forget } from "../state/attachments.ts";
import { type Draft, draft } from "../state/draft.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { FileLength } from "./file-length.tsx";

/** The files of the message: attached, on their way, or refused with the reason. */
export function Attachments({ of = draft }: { of?: Draft }) {
  const { attachments, uploading, refused } = of();
  if (attachments.length + uploading.length + refused.length === 0) return null;
  return (
    <ul className="attachments">
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
              {name}
              <FileLength of={attached} />
            </span>
            <IconButton
              icon="close"
              label={t("removeAttachment", { name })}
              onClick={() => detach(fileId, of)}
            />
          </li>
        );
      })}
      {uploading.map(({ key, name }) => (
        <li key={key} aria-busy="true">
          <span className="ring" aria-hidden="true" />
          <span>
            {name}
            <small>{t("uploading")}</small>
          </span>
        </li>
      ))}
      {refused.map(({ key, name, reason }) => (
        <li key={key} className="refused-file">
          <Icon name="file" />
          <span>
            {name}
            <small role="alert">{reason}</small>
          </span>
          <IconButton icon="close" label={t("removeAttachment", { name })} onClick={() => forget(key, of)} />
        </li>
      ))}
    </ul>
  );
}
