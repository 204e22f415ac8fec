import type { ReactNode } from "react";
import { isEndWarning } from "../../protocol/end-warnings.ts";
import type { Block, RunState } from "../../protocol/reduce.ts";
import { goToSettings, goToSignIn } from "../shell/address.ts";
import { person } from "../state/person.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Menu } from "../ui/menu.tsx";
import { ContinueButton, otherModels } from "./problem.tsx";
import { moneyWords } from "./problem-words.ts";

interface Props {
  state: RunState;
  onRetry(model?: string): void;
}

const LENGTH_ENDS = {
  OUTPUT_CUT: "endLength",
  OUTPUT_LIMIT: "endLength",
  TOKEN_LIMIT: "endLength",
  TIME_LIMIT: "endTime",
  COST_LIMIT: "endCost",
} as const;

/** Returns the blocks without the sentence about the end that the answer itself closes with. */
export function withoutEnd({ blocks, warnings }: RunState): Block[] {
  const last = blocks.at(-1);
  const end = warnings.findLast(isEndWarning)?.message;
  if (last?.type !== "text" || end === undefined || !last.text.endsWith(end)) return blocks;
  return [...blocks.slice(0, -1), { ...last, text: last.text.slice(0, -end.length).trimEnd() }];
}

/** Says why an answer ended before its end, and offers to continue. */
export function Ending({ state, onRetry }: Props) {
  const { finishReason, iterations, toolCalls, model, warnings } = state;
  // What is offered depends on them, and they may arrive after the answer.
  person(({ models }) => models);
  const isSpent = person(({ me }) => me?.budget && me.budget.spentUsd >= me.budget.usd);
  switch (finishReason) {
    case "length": {
      const end = Object.entries(LENGTH_ENDS).find(([code]) => warnings.some((one) => one.code === code));
      if (end?.[1] === "endCost" && isSpent) return <Spent />;
      return <Line text={t(end?.[1] ?? "endLength")} action={<ContinueButton />} />;
    }
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

/** The budget of the person is used up: going on would end at once. */
function Spent() {
  const { me } = person.getState();
  const { title, line } = moneyWords(me?.budget?.usd);
  const isGuest = me?.kind === "guest";
  const action = (
    <Button className="continue" onClick={() => (isGuest ? goToSignIn() : goToSettings("usage"))}>
      {t(isGuest ? "signInForMore" : "seeUsage")}
    </Button>
  );
  return <Line text={`${title} ${line}`} action={action} />;
}

function Line({ text, action }: { text: string; action?: ReactNode }) {
  return (
    <p className="ending">
      <span>{text}</span>
      {action}
    </p>
  );
}
