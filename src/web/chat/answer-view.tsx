import { Suspense, useCallback, useState } from "react";
import type { TranscriptMessage } from "../../protocol/chat.ts";
import type { Usage } from "../../protocol/model.ts";
import { wasContinued } from "../../protocol/reduce.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { conversation, placeOf } from "../state/conversation.ts";
import { followAgain } from "../state/live-run.ts";
import { attempt, notify } from "../state/notices.ts";
import { openSteps, setSteps } from "../state/open-steps.ts";
import { isShown, outbox } from "../state/outbox.ts";
import { person } from "../state/person.ts";
import { askAgain } from "../state/questions.ts";
import { speech } from "../state/speech.ts";
import { view } from "../state/view.ts";
import { dollars, number, t } from "../text/t.ts";
import { Boundary } from "../ui/boundary.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { copyText } from "../ui/copy-text.ts";
import { Icon } from "../ui/icons.tsx";
import { loadLater } from "../ui/load-later.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { Answer } from "./answer.tsx";
import { ChangedFiles } from "./changed-files.tsx";
import { CompactionLine } from "./compaction-line.tsx";
import { FeedbackWhy, ratingItems } from "./feedback.tsx";
import { moreOf } from "./more-items.ts";
import { ProblemBox } from "./problem.tsx";
import { Stalled } from "./stalled.tsx";
import { Versions } from "./versions.tsx";

const ReadingControls = loadLater(
  async () => (await import("../speech/reading-controls.tsx")).ReadingControls,
);

/**
 * A finished answer, or without a message the one that is being written: the only part of the page that changes with every
 * frame. When it is finished, the same elements stay, so nothing is rendered twice.
 */
export function AnswerView({ message }: { message?: TranscriptMessage }) {
  const live = conversation((state) => (message ? undefined : state.live));
  const state = message?.state ?? live?.state;
  const id = message?.id ?? live?.state.messageId ?? "";
  const steps = openSteps(({ ids }) => ids.has(id));
  const [asksWhy, setAsksWhy] = useState(false);
  const [isWrittenHere] = useState(live !== undefined);
  const onSteps = useCallback((open: boolean) => setSteps(id, open), [id]);
  const isRead = speech(({ reading }) => reading !== undefined && reading.messageId === message?.id);
  const usage = message?.usage ?? live?.state.usage;
  const waiting = live && live.state.blocks.length === 0 && !live.state.status && !live.state.retry;
  return (
    <article
      className="answer"
      data-part="answer"
      data-message={id}
      data-live={live ? true : undefined}
      data-written={isWrittenHere || undefined}
      aria-label={t("assistant")}
    >
      <Boundary instead={<ProblemBox title={t("answerNotShown")} line={t("answerNotShownLine")} />}>
        {state ? (
          <Answer
            key={id}
            state={state}
            running={live !== undefined}
            onRetry={(model) => askAgain(message, model)}
            steps={steps}
            onSteps={onSteps}
          />
        ) : (
          <Markdown key={id} text={message?.content ?? ""} complete />
        )}
      </Boundary>
      {live && <Stalled />}
      {message && <ChangedFiles message={message} onReview={() => onSteps(true)} />}
      {waiting && <p className="status-line shimmer">{t("working")}</p>}
      {live?.lost && (
        <ProblemBox icon="offline" title={t("lostTitle")} line={t("lostLine")}>
          <Button onClick={followAgain}>{t("tryAgain")}</Button>
        </ProblemBox>
      )}
      {message?.compacted && <CompactionLine {...message.compacted} />}
      <footer className="message-foot" data-part="actions">
        {message && message.content !== "" && <CopyButton key={id} text={message.content} />}
        {message && !state?.error && <AskAgain message={message} />}
        {message && (
          <More message={message} usage={usage} steps={steps} onSteps={onSteps} onRated={setAsksWhy} />
        )}
        {isRead && (
          <Suspense>
            <ReadingControls />
          </Suspense>
        )}
        <Versions
          id={id}
          siblings={message?.siblings ?? live?.state.siblings}
          place={placeOf(message ?? live?.state ?? {})}
        />
        {state && wasContinued(state) && (
          <span className="facts" title={t("continuedTitle")}>
            {t("continued")}
          </span>
        )}
        {asksWhy && message?.feedback && (
          <Suspense fallback={null}>
            <FeedbackWhy messageId={id} feedback={message.feedback} onDone={() => setAsksWhy(false)} />
          </Suspense>
        )}
      </footer>
    </article>
  );
}

/** While something is wrong, the box that says so has the only thing to do. */
function AskAgain({ message }: { message: TranscriptMessage }) {
  const unsent = outbox((state) => state.unsent.some(isShown));
  const refused = conversation((state) => state.refused !== undefined);
  if (unsent || refused) return null;
  return (
    <IconButton icon="retry" label={t("askAgain")} className="when-idle" onClick={() => askAgain(message)} />
  );
}

interface MoreProps {
  message: TranscriptMessage;
  usage: Usage | undefined;
  steps: boolean;
  onSteps(open: boolean): void;
  /** The person has rated the answer, or taken that back. */
  onRated(asksWhy: boolean): void;
}

/** What else can be done with an answer, and what it took. */
function More({ message, usage, steps, onSteps, onRated }: MoreProps) {
  // What the menu offers depends on them, and they may arrive after the answer.
  person((state) => state.models);
  const hasSteps = message.state?.blocks.some(({ type }) => type !== "text") ?? false;
  const facts = factsOf(message.model ?? "", usage);
  const items: MenuItem[] = [
    ...(hasSteps
      ? [
          {
            label: t(steps ? "hideSteps" : "showSteps"),
            icon: "thought" as const,
            run: () => onSteps(!steps),
          },
        ]
      : []),
    ...moreOf(message),
    ...ratingItems(message, onRated),
    ...(facts === "" ? [] : [{ label: facts, icon: "chart" as const, run: () => void copy(facts) }]),
    {
      label: t("reportProblem"),
      icon: "warning",
      run: () => view.setState({ over: { kind: "report", message } }),
    },
  ];
  return (
    <Menu label={t("more")} items={items} align="start">
      <Icon name="more" />
    </Menu>
  );
}

function factsOf(id: string, usage: Usage | undefined): string {
  const model = person.getState().models.find((known) => known.id === id)?.label ?? id;
  if (!usage) return model;
  const { inputTokens, outputTokens, costUsd } = usage;
  const facts = t("usageFacts", { model, input: number(inputTokens), output: number(outputTokens) });
  return costUsd ? `${facts} · ${dollars(costUsd)}` : facts;
}

async function copy(text: string): Promise<void> {
  if (await attempt(() => copyText(text))) notify({ text: t("copied") });
}
