import { type ReactNode, useState } from "react";
import type { RunState } from "../../protocol/reduce.ts";
import { goToSettings, goToSignIn } from "../shell/address.ts";
import { tryNow } from "../state/live-run.ts";
import { person } from "../state/person.ts";
import { askQuestion, editLast } from "../state/questions.ts";
import { summarizeAndAsk } from "../state/summarize.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useClock } from "../ui/clock.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon, type IconName } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import {
  isLongWait,
  labelOf,
  type Remedy,
  type ShownFailure,
  vendorOf,
  waitWords,
  wordsOfProblem,
} from "./problem-words.ts";

interface BoxProps {
  title: string;
  line: string;
  icon?: IconName;
  tone?: "danger" | "warn" | undefined;
  /** What a person who looks for the cause needs, line by line. */
  details?: string[];
  children?: ReactNode;
}

/** One box that says what happened and what to do, with at most one action. Screen readers hear of it elsewhere. */
export function ProblemBox({ title, line, icon = "warning", tone, details, children }: BoxProps) {
  const [open, setOpen] = useState(false);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className="problem" data-part="problem" data-tone={tone} role="group" aria-label={title}>
      <Icon name={icon} />
      <div className="problem-words">
        <p className="problem-title">{title}</p>
        <p className="problem-line">{line}</p>
      </div>
      {details && (
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>
            {t("details")}
            <Icon name="down" size="tiny" />
          </summary>
        </details>
      )}
      {children}
      {details && open && (
        <div className="problem-details">
          <pre>{details.join("\n")}</pre>
          <CopyButton text={details.join("\n")} label={t("copyDetails")} />
        </div>
      )}
    </div>
  );
}

interface Props {
  error: ShownFailure;
  /** The id of the model that was asked. */
  model: string;
  hasText?: boolean;
  /** When it happened: the countdown starts then. */
  at?: number;
  /** The server refused the message. */
  refused?: boolean;
  /** Asks once more, with another model if one is given. */
  onRetry(model?: string): void;
}

/** Says what went wrong, and offers the one thing that can help. */
export function Problem({ error, model, hasText = false, at, refused = false, onRetry }: Props) {
  // The name of the vendor and the other models are known once they are loaded, which may be later.
  person(({ models }) => models);
  const [since] = useState(() => at ?? Date.now());
  const until = since + (error.retryAfter ?? 0) * 1000;
  const now = useClock(until > Date.now());
  const left = Math.max(0, (until - now) / 1000);
  const { title, line, remedy, icon } = wordsOfProblem(error, { model, hasText, refused }, left);
  const request = error.requestId ?? error.details?.requestId;
  const details = [
    [error.code, ...(model === "" ? [] : [model])].join(" · "),
    ...(typeof request === "string" ? [t("requestId", { id: request })] : []),
    error.error,
  ];
  return (
    <ProblemBox
      title={title}
      line={line}
      icon={icon ?? "warning"}
      tone={icon ? "warn" : "danger"}
      details={details}
    >
      <Action remedy={remedy} model={model} onRetry={onRetry} />
    </ProblemBox>
  );
}

function Action({
  remedy,
  model,
  onRetry,
}: {
  remedy: Remedy;
  model: string;
  onRetry(model?: string): void;
}) {
  const retry = { label: t("tryAgain"), icon: "retry" as const, run: () => onRetry() };
  const others = otherModels(model).map(({ id, label }) => ({
    label: t("tryWith", { model: label }),
    run: () => onRetry(id),
  }));
  switch (remedy) {
    case "retry-or-other":
    case "other-model": {
      const items = remedy === "other-model" ? others : [retry, ...others];
      if (items.length < 2) return <Button onClick={() => (items[0] ?? retry).run()}>{t("tryAgain")}</Button>;
      const label = t(remedy === "other-model" ? "useOther" : "tryAgain");
      return (
        <Menu label={label} items={items} className="small">
          {label}
          <Icon name="down" size="tiny" />
        </Menu>
      );
    }
    case "retry":
      return <Button onClick={retry.run}>{retry.label}</Button>;
    case "key":
      return (
        <Button
          className="primary"
          onClick={() => {
            view.setState({ vendor: model.split("/", 1)[0] });
            goToSettings("keys");
          }}
        >
          {t("checkKey")}
        </Button>
      );
    case "edit":
      return <Button onClick={editLast}>{t("editQuestion")}</Button>;
    case "summarize":
      return <Button onClick={() => summarizeAndAsk(onRetry)}>{t("summarizeOn")}</Button>;
    case "continue":
      return <ContinueButton />;
    case "sign-in":
      return <Button onClick={goToSignIn}>{t("signInForMore")}</Button>;
    case "sign-in-again":
      return <Button onClick={goToSignIn}>{t("signIn")}</Button>;
    case "usage":
      return <Button onClick={() => goToSettings("usage")}>{t("seeUsage")}</Button>;
    case "none":
      return null;
  }
}

/** Asks for the rest of an answer. */
export function ContinueButton() {
  return (
    <Button className="continue when-idle" onClick={() => askQuestion({ text: t("continueRequest") })}>
      {t("continue")}
    </Button>
  );
}

const MOST_MODELS = 6;

/** Returns one model of each other vendor, then more of the same. */
export function otherModels(model: string): { id: string; label: string }[] {
  const others = person.getState().models.filter(({ id }) => id !== model);
  const vendors = new Set([vendorOf(model)]);
  const first = others.filter(({ id }) => !vendors.has(vendorOf(id)) && vendors.add(vendorOf(id)));
  return [...first, ...others.filter((one) => !first.includes(one))].slice(0, MOST_MODELS);
}

const BUSY = { now: "busyNow", at: "busyUntil", in: "busyTitle" } as const;
const CUT = { now: "cutAgainNow", at: "cutAgainAt", in: "cutAgain" } as const;

interface RetryingProps {
  retry: NonNullable<RunState["retry"]>;
  model: string;
  /** An answer broke off, and will continue where it did. */
  cut: boolean;
}

/** Says that the model is asked again soon. */
export function Retrying({ retry, model, cut }: RetryingProps) {
  person(({ models }) => models);
  const [until] = useState(() => Date.now() + retry.retryAfterMs);
  const [sent, setSent] = useState(false);
  const left = (until - useClock(true)) / 1000;
  const vendor = vendorOf(model === "" ? retry.source : model);
  const isOver = left <= 0 || sent;
  const titles = cut ? CUT : BUSY;
  return (
    <ProblemBox
      icon="retry"
      title={t(titles[isOver ? "now" : isLongWait(left) ? "at" : "in"], { vendor, time: waitWords(left) })}
      line={t("busyLine", { attempt: retry.attempt + 1, max: retry.maxRetries + 1 })}
      details={[`${labelOf(model)} · ${retry.source}`, retry.reason]}
    >
      <Button
        disabled={isOver}
        onClick={() => {
          setSent(true);
          void tryNow();
        }}
      >
        {t("tryNow")}
      </Button>
    </ProblemBox>
  );
}
