import { memo, useEffect, useRef } from "react";
import type { TranscriptMessage } from "../../protocol/chat.ts";
import { conversation, placeOf } from "../state/conversation.ts";
import { editMessage, focusDraft, revision } from "../state/draft.ts";
import { attempt, notify } from "../state/notices.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { copyText } from "../ui/copy-text.ts";
import { Icon } from "../ui/icons.tsx";
import { useMatches } from "../ui/matches.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { AnswerView } from "./answer-view.tsx";
import { AskedText } from "./asked-text.tsx";
import { EditedMessage } from "./edited-message.tsx";
import { FileLength } from "./file-length.tsx";
import { FoldedWords } from "./folded-words.tsx";
import { Versions } from "./versions.tsx";

/** One message, or without one the answer that is being written. */
export const Message = memo(function Message({ message }: { message?: TranscriptMessage }) {
  return message?.role === "user" ? <Asked message={message} /> : <AnswerView message={message} />;
});

function Asked({ message }: { message: TranscriptMessage }) {
  const isEdited = revision((state) => state.message?.id === message.id);
  const article = useRef<HTMLElement>(null);
  const wasEdited = useRef(isEdited);
  useEffect(() => {
    // Who was in the field that is gone now is back at the button that opened it.
    if (wasEdited.current && !isEdited && document.activeElement === document.body) {
      article.current?.querySelector<HTMLElement>(".asked-edit, .asked-more")?.focus();
      if (document.activeElement === document.body) focusDraft();
    }
    wasEdited.current = isEdited;
  }, [isEdited]);
  return (
    <article
      ref={article}
      className="asked"
      data-part="asked"
      data-message={message.id}
      aria-label={t("you")}
      data-edited={isEdited || undefined}
    >
      {isEdited ? <EditedMessage /> : <AskedWords message={message} />}
      <Versions id={message.id} siblings={message.siblings} place={placeOf(message)} />
    </article>
  );
}

function AskedWords({ message }: { message: TranscriptMessage }) {
  return (
    <>
      <AskedFiles attachments={message.attachments} />
      <div className="asked-row">
        <AskedActions message={message} />
        <div className="asked-words" dir="auto">
          {message.app !== undefined && <p className="hint">{t("appSays", { server: message.app })}</p>}
          {message.content !== "" && (
            <FoldedWords text={message.content}>
              <AskedText text={message.content} />
            </FoldedWords>
          )}
          {message.appContexts?.map(({ server, text }) => (
            <details key={server}>
              <summary className="hint">{t("appSays", { server })}</summary>
              <pre className="output">{text}</pre>
            </details>
          ))}
        </div>
      </div>
    </>
  );
}

/** Without a pointer that hovers, one button that is always there opens them. */
function AskedActions({ message }: { message: TranscriptMessage }) {
  const isTouched = useMatches("(max-width: 759px), (hover: none)");
  const busy = conversation(({ live }) => live !== undefined);
  const { content } = message;
  const edit = () => editMessage(message);
  if (isTouched) {
    const copy = () => attempt(() => copyText(content));
    const items: MenuItem[] = [
      ...(content === ""
        ? []
        : [
            {
              label: t("copy"),
              icon: "copy" as const,
              run: async () => void ((await copy()) && notify({ text: t("copied") })),
            },
          ]),
      { label: t("editAndAsk"), icon: "edit", disabled: busy, run: edit },
    ];
    return (
      <Menu label={t("more")} className="quiet asked-more" align="start" items={items}>
        <Icon name="more" />
      </Menu>
    );
  }
  return (
    <>
      {content !== "" && (
        <span className="asked-copy">
          <CopyButton text={content} />
        </span>
      )}
      <IconButton icon="edit" label={t("editAndAsk")} className="asked-edit when-idle" onClick={edit} />
    </>
  );
}

function AskedFiles({ attachments = [] }: Pick<TranscriptMessage, "attachments">) {
  if (attachments.length === 0) return null;
  return (
    <div className="asked-files">
      {attachments.map((attached) => {
        const { fileId, mimeType, name, url } = attached;
        return /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType) ? (
          <a key={fileId} href={url} target="_blank" rel="noopener noreferrer">
            <img className="asked-image" src={url} alt={name ?? t("image")} />
          </a>
        ) : (
          <a key={fileId} className="file-tile" href={url} target="_blank" rel="noopener noreferrer">
            <span>
              <Icon name="file" />
            </span>
            <span>
              <span className="file-name" dir="auto">
                {name ?? fileId}
              </span>
              <FileLength of={attached} />
            </span>
          </a>
        );
      })}
    </div>
  );
}
