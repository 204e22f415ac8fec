import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { SessionSummary } from "../../protocol/context.ts";
import { inThousands } from "../../protocol/in-thousands.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { countCompactions, fillOf } from "../state/context.ts";
import { type ConversationState, conversation } from "../state/conversation.ts";
import { attempt } from "../state/notices.ts";
import { chat } from "../state/server.ts";
import { summarize } from "../state/summarize.ts";
import { clockTime, moment, percent, t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Floating } from "../ui/floating.tsx";
import { Icon } from "../ui/icons.tsx";
import { useLoaded } from "../ui/loaded.ts";

/** Below this there is nothing to say, unless something was summarized. */
const HALF = 50;

/** A quiet ring beside the message field: how full the model's window is, once it is half full or something was summarized. */
export function ContextGauge() {
  const filled = conversation(percentOf);
  const sessionId = conversation((state) => state.sessionId);
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const compactions = conversation(countCompactions);
  if (sessionId === undefined || (filled < HALF && compactions === 0)) return null;
  const label = t("contextFull", { percent: percent(filled / 100) });
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <Button
        ref={button}
        className="quiet context-gauge"
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <svg viewBox="0 0 18 18" aria-hidden="true">
          <circle cx="9" cy="9" r="7" pathLength="100" />
          <circle cx="9" cy="9" r="7" pathLength="100" strokeDasharray={`${filled} 100`} />
        </svg>
      </Button>
      {open && (
        <Floating
          anchor={button}
          align="end"
          role="dialog"
          aria-label={t("contextTitle")}
          heading={t("contextTitle")}
          className="context-details"
          onClose={() => setOpen(false)}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            close();
          }}
        >
          <Details label={label} sessionId={sessionId} onClose={close} />
        </Floating>
      )}
    </>
  );
}

interface DetailsProps {
  label: string;
  sessionId: string;
  onClose(): void;
}

function Details({ label, sessionId, onClose }: DetailsProps) {
  const busy = conversation((state) => state.live !== undefined);
  const compactions = conversation(countCompactions);
  const action = useRef<HTMLButtonElement>(null);
  const fill = fillOf(conversation.getState());
  const summaries = useLoaded(`${sessionId} ${compactions}`, () => chat.summaries(sessionId));
  useEffect(() => action.current?.focus(), []);
  return (
    <>
      <p className="context-title">{label}</p>
      {fill && (
        <p>{t("contextTokens", { used: inThousands(fill.used), window: inThousands(fill.window) })}</p>
      )}
      <p>{t("contextHint")}</p>
      {summaries && summaries.length > 0 && (
        <ol aria-label={t("contextSummaries")}>
          {summaries.map((summary) => (
            <SummaryRow key={summary.createdAt} summary={summary} />
          ))}
        </ol>
      )}
      <Button
        ref={action}
        disabled={busy}
        onClick={() => {
          onClose();
          void attempt(() => summarize(sessionId));
        }}
      >
        {t("summarizeNow")}
      </Button>
    </>
  );
}

/** What was summarized and when. Unfolded, it is what the model reads instead. */
function SummaryRow({ summary }: { summary: SessionSummary }) {
  const { createdAt, messages, tokensBefore, tokensAfter, text } = summary;
  const [open, setOpen] = useState(false);
  return (
    <li>
      <Button className="step-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="step-name">
          {t("contextSummary", {
            when: whenOf(createdAt),
            messages,
            before: inThousands(tokensBefore),
            after: inThousands(tokensAfter),
          })}
        </span>
        <Icon name="next" size="tiny" />
      </Button>
      {open && <Markdown text={text} complete />}
    </li>
  );
}

function percentOf(state: ConversationState): number {
  const fill = fillOf(state);
  return fill ? Math.round((100 * fill.used) / fill.window) : 0;
}

function whenOf(at: string): string {
  const date = new Date(at);
  return date.toDateString() === new Date().toDateString() ? clockTime(date) : moment(date);
}
