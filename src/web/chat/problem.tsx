import { useState } from "react";
import type { FailureCode } from "../../protocol/failure.ts";
import { countdown, t } from "../text/t.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { useClock } from "../ui/clock.ts";
import { Icon } from "../ui/icons.tsx";

interface Props {
  error: { error: string; code: FailureCode; requestId?: string; retryable: boolean; retryAfter?: number };
  /** False while the run goes on. */
  retryable: boolean;
  /** When it happened: the countdown starts then. */
  at?: number;
  onRetry?(): void;
}

/** Says what went wrong, how long to wait, and offers to try again if that can help. */
export function Problem({ error, retryable, at, onRetry }: Props) {
  const [since] = useState(() => at ?? Date.now());
  const until = since + (error.retryAfter ?? 0) * 1000;
  const now = useClock(until > Date.now());
  const left = (until - now) / 1000;
  return (
    <Alert>
      <div>
        <p>{error.error}</p>
        <p className="hint">
          {error.code}
          {error.requestId && ` · ${error.requestId}`}
        </p>
        {left > 0 && <p className="wait">{t("rateLimited", { time: countdown(left) })}</p>}
      </div>
      {error.retryable && retryable && onRetry && (
        <Button disabled={left > 0} onClick={onRetry}>
          <Icon name="retry" /> {t("tryAgain")}
        </Button>
      )}
    </Alert>
  );
}
