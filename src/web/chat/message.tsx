import { memo } from "react";
import type { TranscriptMessage } from "../../protocol/chat.ts";
import { editLast } from "../state/asking.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { AnswerView } from "./answer-view.tsx";

/** One message; without one, the answer that is being written. */
export const Message = memo(function Message(props: { message?: TranscriptMessage; last: boolean }) {
  const { message, last } = props;
  return message?.role === "user" ? (
    <Asked message={message} last={last} />
  ) : (
    <AnswerView message={message} last={last} />
  );
});

function Asked({ message, last }: { message: TranscriptMessage; last: boolean }) {
  return (
    <article className="asked" aria-label={t("you")}>
      {message.attachments?.map(({ fileId, mimeType, name, url }) =>
        /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType) ? (
          <img key={fileId} className="asked-image" src={url} alt={name ?? t("image")} />
        ) : (
          <a key={fileId} className="asked-file" href={url} target="_blank" rel="noopener noreferrer">
            <Icon name="attach" /> {name ?? fileId}
          </a>
        ),
      )}
      <p>{message.content}</p>
      {last && (
        <button
          type="button"
          className="quiet asked-edit"
          onClick={editLast}
          aria-label={t("editAndAsk")}
          title={t("editAndAsk")}
        >
          <Icon name="edit" />
        </button>
      )}
    </article>
  );
}
