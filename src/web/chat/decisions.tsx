import { useState } from "react";
import { callsOf, type RunState, type ToolCallState } from "../../protocol/reduce.ts";
import { conversation } from "../state/conversation.ts";
import { decide } from "../state/live-run.ts";
import { attempt } from "../state/notices.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Approval, Deadline, Exactly, focusNext, titleOf } from "./approval.tsx";
import { Question } from "./question.tsx";
import { Sheet } from "./sheet.tsx";

/** What a run asks the person now: one card for each question, and one for all calls that wait for a decision. */
export function Decisions({ state }: { state: RunState }) {
  /** The calls that the person wants to decide on one by one. */
  const [apart, setApart] = useState<string[]>([]);
  const decided = conversation(({ live }) => live?.decided);
  const waiting = callsOf(state).filter(({ status }) => status === "waiting");
  const open = waiting.filter(({ toolCallId, question }) => !question && !decided?.includes(toolCallId));
  const together =
    open.length > 1 && !open.some((call) => apart.includes(call.toolCallId) || call.approval?.plan);
  return (
    <>
      {waiting.map(({ toolCallId, question }) =>
        question ? (
          <Question
            key={`${toolCallId}-${question.number ?? 1}`}
            toolCallId={toolCallId}
            question={question}
          />
        ) : null,
      )}
      {together ? (
        <Together calls={open} onApart={() => setApart(open.map(({ toolCallId }) => toolCallId))} />
      ) : (
        waiting.map((call) =>
          call.approval && !call.question ? (
            <Approval key={call.toolCallId} call={call} approval={call.approval} />
          ) : null,
        )
      )}
    </>
  );
}

/** Several calls in one card. */
function Together({ calls, onApart }: { calls: ToolCallState[]; onApart(): void }) {
  const [sent, setSent] = useState(false);

  async function decideAll(decision: "once" | "deny"): Promise<void> {
    setSent(true);
    await attempt(() => Promise.all(calls.map(({ toolCallId }) => decide(toolCallId, { decision }))));
    setSent(false);
    focusNext();
  }

  return (
    <Sheet>
      <fieldset className="approval" data-part="approval" disabled={sent}>
        <legend>
          <Icon name="tools" />
          {t("manyWait", { count: calls.length })}
        </legend>
        <ol className="together">
          {calls.map((call) => (
            <li key={call.toolCallId}>
              <p>{titleOf(call)}</p>
              <Exactly call={call} preview={call.approval?.preview} />
            </li>
          ))}
        </ol>
        <div className="choices">
          <Button className="primary" onClick={() => decideAll("once")}>
            {t("runAll", { count: calls.length })}
          </Button>
          <Button className="deny" onClick={() => decideAll("deny")}>
            {t("denyAll")}
          </Button>
          <Button className="quiet always" onClick={onApart}>
            {t("oneByOne")}
          </Button>
        </div>
      </fieldset>
      <Deadline text="noAnswerToAllBy" approvals={calls.flatMap(({ approval = [] }) => approval)} />
    </Sheet>
  );
}
