import { useState } from "react";
import { failedEnd } from "../../protocol/commands.ts";
import { editedLines } from "../../protocol/edited-lines.ts";
import type { ToolCallState, ToolCallStatus } from "../../protocol/reduce.ts";
import { CodeBlock } from "../markdown/code-block.tsx";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Diff } from "../ui/diff.tsx";
import { FoundSites } from "./sources.tsx";
import { codeIn } from "./step-words.ts";
import { argumentsText, outputText, summaryOf } from "./tool-summary.ts";

const LINES = 8;
/** Mistakes of the model. What it is told about them names tools and fields. */
const MISTAKES: ReadonlySet<string> = new Set(["TOOL_INVALID_ARGUMENTS", "TOOL_UNKNOWN"]);

/** Returns the status of a call. One whose answer was cut off no longer waits for a decision. */
export function statusOf(call: ToolCallState, running: boolean): ToolCallStatus {
  return !running && call.output === undefined && call.status !== "succeeded" ? "failed" : call.status;
}

/** The useful part of a call, and on demand everything that went in and came out. */
export function CallDetails(props: { call: ToolCallState; runId: string; status: ToolCallStatus }) {
  const { call, runId, status } = props;
  const [open, setOpen] = useState(false);
  const live = status === "running" || status === "pending";
  const ended = failedEnd(call.toolName, call.output);
  const edited = editedLines(call.arguments);
  const isCommand = call.toolName === "execute_command";
  const gist = summaryOf(call.arguments);
  // The sentence above names it already.
  const isSaid = gist === codeIn(call);
  const notes = [
    isCommand || call.search || isSaid ? "" : gist,
    typeof ended === "number" && !isCommand ? t("exitCode", { code: ended }) : "",
    call.cached ? t("cached") : "",
    call.retryCount ? t("retried", { count: call.retryCount }) : "",
  ].filter(Boolean);
  return (
    <>
      {notes.length > 0 && <p className="step-gist">{notes.join(" · ")}</p>}
      {live && call.progress && (
        <p className="progress-line">
          {call.progress.message}
          {call.progress.percent !== undefined && (
            <progress max={100} value={call.progress.percent} aria-label={call.progress.message} />
          )}
        </p>
      )}
      {live && call.progress?.output ? (
        <pre className="live-output">{lastLines(call.progress.output)}</pre>
      ) : null}
      {call.error && (
        <p className="step-error">
          {MISTAKES.has(call.error.code) ? t("calledWrongly") : call.error.message}
        </p>
      )}
      {edited && edited.length > 0 && <Diff text={asHunk(edited)} numbers={false} />}
      {call.search && <FoundSites sources={call.search.sources} />}
      {isCommand && call.output !== undefined && <Output text={outputText(call.output)} />}
      <Button className="details" aria-expanded={open} onClick={() => setOpen(!open)}>
        {t("details")}
      </Button>
      {open && <Raw call={call} runId={runId} />}
    </>
  );
}

/** Makes a patch of lines whose place in the file is not known. */
function asHunk(lines: readonly string[]): string {
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  return [`@@ -1,${count("-")} +1,${count("+")} @@`, ...lines].join("\n");
}

function Raw({ call, runId }: { call: ToolCallState; runId: string }) {
  const output = call.output === undefined ? (call.progress?.output ?? "") : outputText(call.output);
  return (
    <div className="step-body">
      <p className="step-part">{t("arguments")}</p>
      <p className="hint">{call.toolName}</p>
      <CodeBlock language="json" code={argumentsText(call.arguments)} />
      <p className="step-part">{t("output")}</p>
      <Output text={output === "" ? t("noOutput") : output} />
      {call.progress?.phase === "reasoning" && (
        <>
          <p className="step-part">{t("thought")}</p>
          <p className="thought-text">{call.progress.output}</p>
        </>
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

/** The first lines of an output, and all of it on demand. */
function Output({ text: whole }: { text: string }) {
  const [all, setAll] = useState(false);
  const text = whole.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
  const lines = text.split("\n");
  const cut = !all && lines.length > LINES + 1;
  return (
    <>
      <pre className="output" dir="ltr" tabIndex={0}>
        {cut ? lines.slice(0, LINES).join("\n") : text}
      </pre>
      {cut && (
        <Button className="link" onClick={() => setAll(true)}>
          {t("showAll", { count: lines.length })}
        </Button>
      )}
    </>
  );
}

function lastLines(output: string): string {
  return output.slice(-4_000).split("\n").slice(-8).join("\n");
}
