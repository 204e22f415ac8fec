import { type ReactNode, useEffect, useState } from "react";
import { emptyRun, type RunState } from "../../protocol/reduce.ts";
import { notifyFailure } from "../state/notices.ts";
import { followRun } from "../state/run-follower.ts";
import { t } from "../text/t.ts";

/** What a child run says and does. Its questions are asked in the run that started it. */
export function ChildRun({ runId, show }: { runId: string; show(state: RunState): ReactNode }) {
  const [state, setState] = useState<RunState>();
  useEffect(() => {
    const stop = new AbortController();
    followRun(runId, { state: emptyRun(), seq: 0 }, setState, stop.signal).catch((thrown: unknown) => {
      if (!stop.signal.aborted) notifyFailure(thrown);
    });
    return () => stop.abort();
  }, [runId]);
  return (
    <section className="child-run" aria-label={t("childRun")}>
      {state ? show(withoutQuestions(state)) : <p className="status-line shimmer">{t("working")}</p>}
    </section>
  );
}

function withoutQuestions(state: RunState): RunState {
  const blocks = state.blocks.map((block) => {
    if (block.type !== "tool") return block;
    const { approval: _, question: __, ...call } = block.call;
    return { ...block, call };
  });
  return { ...state, blocks };
}
