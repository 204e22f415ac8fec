import type { TranscriptMessage } from "../../protocol/chat.ts";
import type { Usage } from "../../protocol/model.ts";
import { wasContinued } from "../../protocol/reduce.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { conversation, placeOf } from "../state/conversation.ts";
import { followAgain } from "../state/live-run.ts";
import { askAgain } from "../state/questions.ts";
import { dollars, number, t } from "../text/t.ts";
import { Alert } from "../ui/alert.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Answer } from "./answer.tsx";
import { CompactionLine } from "./compaction-line.tsx";
import { Versions } from "./versions.tsx";

/**
 * A finished answer, or without a message the one that is being written: the only part of the page that changes with every
 * frame. When it is finished, the same elements stay, so nothing is rendered twice.
 */
export function AnswerView({ message }: { message?: TranscriptMessage }) {
  const live = conversation((state) => (message ? undefined : state.live));
  const state = message?.state ?? live?.state;
  const id = message?.id ?? live?.state.messageId ?? "";
  const usage = message?.usage ?? live?.state.usage;
  const waiting = live && live.state.blocks.length === 0 && !live.state.status && !live.state.retry;
  return (
    <article className="answer" data-live={live ? true : undefined} aria-label={t("assistant")}>
      {state ? (
        <Answer key={id} state={state} running={live !== undefined} onRetry={() => askAgain(message)} />
      ) : (
        <Markdown key={id} text={message?.content ?? ""} complete />
      )}
      {waiting && <p className="status-line shimmer">{t("working")}</p>}
      {live?.lost && (
        <Alert>
          <p>{t("connectionLost")}</p>
          <Button onClick={followAgain}>{t("tryAgain")}</Button>
        </Alert>
      )}
      {message?.compacted && <CompactionLine {...message.compacted} />}
      <footer className="message-foot">
        <Versions
          id={id}
          siblings={message?.siblings ?? live?.state.siblings}
          place={placeOf(message ?? live?.state ?? {})}
        />
        {message && message.content !== "" && <CopyButton key={id} text={message.content} />}
        {message && (
          <IconButton
            icon="retry"
            label={t("tryAgain")}
            className="when-idle"
            onClick={() => askAgain(message)}
          />
        )}
        <span className="facts">
          {message?.model ?? live?.state.model}
          {usage && <UsageView usage={usage} />}
          {state && wasContinued(state) && (
            <span className="tokens" title={t("continuedTitle")}>
              {t("continued")}
            </span>
          )}
        </span>
      </footer>
    </article>
  );
}

/** The tokens and the cost of an answer. */
function UsageView({ usage }: { usage: Usage }) {
  const { inputTokens, outputTokens, costUsd } = usage;
  return (
    <span className="tokens" title={t("tokensTitle")}>
      {t("tokens", { input: number(inputTokens), output: number(outputTokens) })}
      {costUsd ? ` · ${dollars(costUsd)}` : ""}
    </span>
  );
}
