import { type ReactNode, useEffect, useState } from "react";
import { callsOf, emptyRun, type RunState } from "../../protocol/reduce.ts";
import { attempt, notifyFailure } from "../state/notices.ts";
import { followRun } from "../state/run-follower.ts";
import { chat } from "../state/server.ts";
import type { TextKey } from "../text/english.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";

interface Props {
  runId: string;
  show(state: RunState, running: boolean): ReactNode;
}

/** A part of the work that has its own run: how it stands, and what it says and does. Its questions are asked in the run that started it. */
export function ChildRun({ runId, show }: Props) {
  const [state, setState] = useState<RunState>(emptyRun);
  const [stopping, setStopping] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    followRun(runId, { state: emptyRun(), seq: 0 }, setState, stop.signal).catch((thrown: unknown) => {
      if (!stop.signal.aborted) notifyFailure(thrown);
    });
    return () => stop.abort();
  }, [runId]);
  const running = state.finishReason === undefined;

  async function stopRun(): Promise<void> {
    setStopping(true);
    if (!(await attempt(() => chat.cancel(runId)))) setStopping(false);
  }

  return (
    <section className="child-run" data-part="child-run" aria-label={t("childRun")}>
      <p className="child-state">
        {running && <span className="ring" />}
        <span>{t(running && stopping ? "stopping" : stateOf(state))}</span>
        {running && (
          <Button className="small" disabled={stopping} onClick={stopRun}>
            {t("stopPart")}
          </Button>
        )}
      </p>
      {state.error && <p className="step-error">{state.error.error}</p>}
      {show(withoutQuestions(state), running)}
    </section>
  );
}

function stateOf(state: RunState): TextKey {
  const { finishReason, error } = state;
  if (finishReason === "cancelled") return "partStopped";
  if (error || (finishReason !== undefined && finishReason !== "stop")) return "partFailed";
  if (finishReason !== undefined) return "partDone";
  return callsOf(state).some(({ status }) => status === "waiting") ? "statusWaiting" : "working";
}

/** How it ended is said above it, and nothing in it can be asked again. */
function withoutQuestions({ error: _, finishReason: __, ...state }: RunState): RunState {
  const blocks = state.blocks.map((block) => {
    if (block.type !== "tool") return block;
    const { approval: _, question: __, ...call } = block.call;
    return { ...block, call };
  });
  return { ...state, blocks };
}
