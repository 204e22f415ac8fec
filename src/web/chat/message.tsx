import { memo } from "react";
import type { TranscriptMessage } from "../../protocol/chat.ts";
import type { Usage } from "../../protocol/model.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { askAgain, editLast } from "../state/asking.ts";
import { dollars, number, t } from "../text/t.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Answer } from "./answer.tsx";

/** One finished message. */
export const Message = memo(function Message({
  message,
  last,
}: {
  message: TranscriptMessage;
  last: boolean;
}) {
  if (message.role === "user") return <Asked message={message} last={last} />;
  return (
    <article className="answer" aria-label={t("assistant")}>
      {message.state ? (
        <Answer state={message.state} running={false} />
      ) : (
        <Markdown text={message.content} complete />
      )}
      <footer className="message-foot">
        <CopyButton text={message.content} />
        {last && (
          <button
            type="button"
            className="quiet"
            onClick={askAgain}
            aria-label={t("askAgain")}
            title={t("askAgain")}
          >
            <Icon name="retry" />
          </button>
        )}
        <span className="facts">
          {message.model}
          {message.usage && <UsageView usage={message.usage} />}
        </span>
      </footer>
    </article>
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

/** What an answer took. */
export function UsageView({ usage }: { usage: Usage }) {
  const { inputTokens, outputTokens, costUsd } = usage;
  return (
    <span className="usage" title={t("tokensTitle")}>
      {t("tokens", { input: number(inputTokens), output: number(outputTokens) })}
      {costUsd ? ` · ${dollars(costUsd)}` : ""}
    </span>
  );
}
