import { useId } from "react";
import type { Feedback } from "../../protocol/feedback.ts";
import { rate } from "../state/feedback.ts";
import { notify } from "../state/notices.ts";
import "../style/feedback.css";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";

interface Props {
  messageId: string;
  feedback: Feedback;
  onDone(): void;
}

/** Asks why an answer was good or bad. The answer to that can be left out. */
export function FeedbackWhy({ messageId, feedback: { value, note = "" }, onDone }: Props) {
  const hint = useId();
  return (
    <form
      className="feedback-why"
      onSubmit={async (event) => {
        event.preventDefault();
        const text = String(new FormData(event.currentTarget).get("note") ?? "").trim();
        onDone();
        if (text !== "" && (await rate(messageId, { value, note: text }))) notify({ text: t("thanks") });
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onDone();
      }}
    >
      <input
        name="note"
        defaultValue={note}
        maxLength={2_000}
        autoComplete="off"
        dir="auto"
        autoFocus
        aria-label={t(value === 1 ? "whyGood" : "whyBad")}
        aria-describedby={hint}
        placeholder={t(value === 1 ? "whyGood" : "whyBad")}
      />
      <button type="submit" className="primary">
        {t("sendWhy")}
      </button>
      <Button onClick={onDone}>{t("cancel")}</Button>
      <small id={hint}>{t("whyHint")}</small>
    </form>
  );
}
