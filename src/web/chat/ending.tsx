import type { ReactNode } from "react";
import type { RunState } from "../../protocol/reduce.ts";
import { t } from "../text/t.ts";
import { Menu } from "../ui/menu.tsx";
import { ContinueButton, otherModels } from "./problem.tsx";

interface Props {
  state: RunState;
  onRetry(model?: string): void;
}

/** Says why an answer ended before its end, and offers to go on. */
export function Ending({ state: { finishReason, iterations, toolCalls, model }, onRetry }: Props) {
  switch (finishReason) {
    case "length":
      return <Line text={t("endLength")} action={<ContinueButton />} />;
    case "iteration_limit":
      return <Line text={t("endSteps", { count: iterations })} action={<ContinueButton />} />;
    case "tool_limit":
      return <Line text={t("endCalls", { count: toolCalls })} action={<ContinueButton />} />;
    case "cancelled":
      return <Line text={t("endStopped")} />;
    case "client_tools":
      return <Line text={t("finishClientTools")} />;
    case "content_filter": {
      const items = otherModels(model).map(({ id, label }) => ({ label, run: () => onRetry(id) }));
      const again = (
        <Menu label={t("askAgainWith")} items={items} align="start" className="small">
          {t("askAgainWith")}
        </Menu>
      );
      return <Line text={t("endFilter")} action={items.length > 0 && again} />;
    }
    default:
      return null;
  }
}

function Line({ text, action }: { text: string; action?: ReactNode }) {
  return (
    <p className="ending">
      <span>{text}</span>
      {action}
    </p>
  );
}
