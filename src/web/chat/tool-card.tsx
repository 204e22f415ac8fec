import { lazy, memo, type ReactNode, Suspense, useState } from "react";
import { badEnd } from "../../protocol/commands.ts";
import { editedLines } from "../../protocol/edited-lines.ts";
import type { ToolCallState, ToolCallStatus } from "../../protocol/reduce.ts";
import { ArtifactCard } from "../artifact/card.tsx";
import { CodeBlock } from "../markdown/code-block.tsx";
import type { TextKey } from "../text/english.ts";
import { duration, t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Diff } from "../ui/diff.tsx";
import { Icon } from "../ui/icons.tsx";
import { Approval } from "./approval.tsx";
import { ImageView } from "./image-view.tsx";
import { Question } from "./question.tsx";
import { SourceCards } from "./sources.tsx";
import { argumentsText, outputText, summaryOf } from "./tool-summary.ts";

const STATUS: Record<ToolCallStatus, TextKey> = {
  pending: "statusPending",
  waiting: "statusWaiting",
  running: "statusRunning",
  succeeded: "statusSucceeded",
  failed: "statusFailed",
};
const LINES = 14;
const AppView = lazy(async () => ({ default: (await import("../apps/app-view.tsx")).AppView }));

/** A tool call: one line, and its details when it is opened. */
export const ToolCard = memo(function ToolCard(props: {
  call: ToolCallState;
  runId: string;
  running: boolean;
  /** Shows a child run. */
  nested(runId: string): ReactNode;
}) {
  const { call, runId, running } = props;
  const [open, setOpen] = useState(false);
  // A call whose answer was cut off no longer waits for a decision.
  const status =
    !running && call.output === undefined && call.status !== "succeeded" ? "failed" : call.status;
  const { error } = call;
  const ended = badEnd(call.toolName, call.output);
  // What the model thought is in the details once it writes.
  const progress = call.artifact && call.progress?.phase === "reasoning" ? undefined : call.progress;
  const live = status === "running" || status === "pending";
  return (
    <section
      className="tool"
      data-status={status}
      data-tool={call.toolName}
      aria-label={`${call.toolName}: ${t(STATUS[status])}`}
    >
      <Button className="step-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="dot" />
        <span className="step-name">{call.toolName}</span>
        <span className="step-gist">{summaryOf(call.arguments)}</span>
        <span className="step-time">
          {call.latencyMs === undefined ? t(STATUS[status]) : duration(call.latencyMs)}
          {typeof ended === "number" && ` · ${t("exitCode", { code: ended })}`}
          {call.cached && ` · ${t("cached")}`}
          {call.retryCount ? ` · ${t("retried", { count: call.retryCount })}` : ""}
        </span>
        <Icon name="down" />
      </Button>
      {live && progress && (
        <p className="progress-line">
          {progress.message}
          {progress.percent !== undefined && (
            <progress max={100} value={progress.percent} aria-label={progress.message} />
          )}
        </p>
      )}
      {live && progress?.output ? <pre className="live-output">{lastLines(progress.output)}</pre> : null}
      {status === "waiting" && call.question && (
        <Question key={call.question.number ?? 1} toolCallId={call.toolCallId} question={call.question} />
      )}
      {status === "waiting" && call.approval && !call.question && (
        <Approval call={call} approval={call.approval} />
      )}
      {error && <p className="step-error">{error.message}</p>}
      {open && call.childRunId !== undefined && props.nested(call.childRunId)}
      {open && <Details call={call} runId={runId} />}
      {call.app && (
        <Suspense fallback={<p className="hint">{t("loading")}</p>}>
          <AppView call={call} app={call.app} runId={runId} ended={!live} />
        </Suspense>
      )}
      {call.search && <SourceCards search={call.search} />}
      {call.artifact && <ArtifactCard call={call} artifact={call.artifact} />}
      {call.image && <ImageView image={call.image} alt={summaryOf(call.arguments)} />}
    </section>
  );
});

function Details({ call, runId }: { call: ToolCallState; runId: string }) {
  const [all, setAll] = useState(false);
  const output = call.output === undefined ? (call.progress?.output ?? "") : outputText(call.output);
  const lines = output.split("\n");
  const edited = editedLines(call.arguments);
  const cut = !all && lines.length > LINES + 4;
  return (
    <div className="step-body">
      <h4>{t("arguments")}</h4>
      {edited && edited.length > 0 ? (
        <Diff text={edited.join("\n")} />
      ) : (
        <CodeBlock language="json" code={argumentsText(call.arguments)} />
      )}
      <h4>{t("output")}</h4>
      <pre className="output" tabIndex={0}>
        {output === "" ? t("noOutput") : cut ? lines.slice(0, LINES).join("\n") : output}
      </pre>
      {call.progress?.phase === "reasoning" && (
        <>
          <h4>{t("thought")}</h4>
          <p className="thought-text">{call.progress.output}</p>
        </>
      )}
      {cut && (
        <Button className="link" onClick={() => setAll(true)}>
          {t("showAll", { count: lines.length })}
        </Button>
      )}
      {call.omitted && (
        <a
          className="link"
          href={`/runs/${encodeURIComponent(runId)}/results/${encodeURIComponent(call.toolCallId)}`}
          target="_blank"
          rel="noreferrer"
        >
          {t("wholeOutput", { count: call.omitted.lines })}
        </a>
      )}
    </div>
  );
}

function lastLines(output: string): string {
  return output.slice(-4_000).split("\n").slice(-8).join("\n");
}
