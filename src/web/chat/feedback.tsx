import type { TranscriptMessage } from "../../protocol/chat.ts";
import { rate } from "../state/feedback.ts";
import { t } from "../text/t.ts";
import { loadLater } from "../ui/load-later.ts";
import type { MenuItem } from "../ui/menu.tsx";

/** Asks why; most people never see it. */
export const FeedbackWhy = loadLater(async () => (await import("./feedback-why.tsx")).FeedbackWhy);

/** Returns the entries with which a person rates an answer. Choosing the same one again takes the rating back. */
export function ratingItems(
  { id, content, feedback, state }: TranscriptMessage,
  onRated: (asksWhy: boolean) => void,
): MenuItem[] {
  // There is nothing to rate.
  if (state?.error && content === "") return [];
  return ([1, -1] as const).map((value) => {
    const isTaken = feedback?.value === value;
    return {
      label: t(value === 1 ? "goodAnswer" : "badAnswer"),
      icon: value === 1 ? "good" : "bad",
      checked: isTaken,
      run() {
        onRated(!isTaken);
        void rate(id, isTaken ? undefined : { value });
      },
    };
  });
}
