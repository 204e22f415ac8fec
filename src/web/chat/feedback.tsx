import { Suspense, useState } from "react";
import type { TranscriptMessage } from "../../protocol/chat.ts";
import { rate } from "../state/feedback.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { loadLater } from "../ui/load-later.ts";

const Why = loadLater(async () => (await import("./feedback-why.tsx")).FeedbackWhy);

/** Says whether an answer was good, and on request why. */
export function FeedbackButtons({ message: { id, feedback } }: { message: TranscriptMessage }) {
  const [asking, setAsking] = useState(false);
  const button = (value: 1 | -1) => (
    <IconButton
      icon={value === 1 ? "good" : "bad"}
      label={t(value === 1 ? "goodAnswer" : "badAnswer")}
      className="rating"
      aria-pressed={feedback?.value === value}
      onClick={() => {
        const taken = feedback?.value === value;
        setAsking(!taken);
        void rate(id, taken ? undefined : { value });
      }}
    />
  );
  return (
    <>
      {button(1)}
      {button(-1)}
      {asking && feedback && (
        <Suspense fallback={null}>
          <Why messageId={id} feedback={feedback} onDone={() => setAsking(false)} />
        </Suspense>
      )}
    </>
  );
}
