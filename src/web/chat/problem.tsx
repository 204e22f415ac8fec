import { useState } from "react";
import type { FailureCode } from "../../protocol/failure.ts";
import { countdown, t } from "../text/t.ts";
import { useClock } from "../ui/clock.ts";
import { Icon } from "../ui/icons.tsx";

interface Props {
  error: { error: string; code: FailureCode; requestId?: string; retryable: boolean; retryAfter?: number };
  /** False while something is still going on. */
  retryable: boolean;
  /** When it happened, where the wait counts from then. */
  at?: number;
  onRetry?(): void;
}

/** What went wrong, how long to wait, and a way to try again where that helps. */
export function Problem({ error, retryable, at, onRetry }: Props) {
  const [since] = useState(() => at ?? Date.now());
  const until = since + (error.retryAfter ?? 0) * 1000;
  const now = useClock(until > Date.now());
  const left = (until - now) / 1000;
  return (
    <div className="problem" role="alert">
      <Icon name="warning" />
      <div>
        <p>{error.error}</p>
        <p className="hint">
          {error.code}
          {error.requestId && ` · ${error.requestId}`}
        </p>
        {left > 0 && <p className="wait">{t("rateLimited", { time: countdown(left) })}</p>}
      </div>
      {error.retryable && retryable && onRetry && (
        <button type="button" disabled={left > 0} onClick={onRetry}>
          <Icon name="retry" /> {t("tryAgain")}
        </button>
      )}
    </div>
  );
}
