import { memo, type ReactNode, useRef, useState } from "react";
import { editedLines } from "../../protocol/edited-lines.ts";
import type { Block, ReasoningState, RunState, ToolCallState } from "../../protocol/reduce.ts";
import { makesArtifact } from "../state/artifacts.ts";
import { duration, t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useClock } from "../ui/clock.ts";
import { Counts } from "../ui/diff.tsx";
import { Icon, type IconName } from "../ui/icons.tsx";
import { MemoryLine, MemoryUsed } from "./memory-used.tsx";
import { Thoughts } from "./reasoning.tsx";
import { capitalized, codeIn, hasFailed, iconOf, sentenceOf, wholeWordsOf, wordsOf } from "./step-words.ts";
import { TodoList } from "./todo-list.tsx";
import { CallDetails, statusOf } from "./tool-step.tsx";

type Step = Exclude<Block, { type: "text" }>;

interface Props {
  state: RunState;
  running: boolean;
  /** What the model thinks about now. */
  thought: string | undefined;
  open: boolean;
  onOpen(open: boolean): void;
  /** Shows a child run. */
  nested(runId: string): ReactNode;
}

/** Thinking for less than this is not worth a line. */
const SHORT_MS = 2_000;

/** What the model thought and did for an answer: one line, and a timeline when it is opened. */
export function Steps({ state, running, ...shown }: Props) {
  const steps = useUnchanged(state.blocks.filter((block): block is Step => block.type !== "text"));
  const last = state.blocks.at(-1);
  const isWorking =
    running && last !== undefined && last.type !== "text" && isGoing(last) && !isShownAsCard(last);
  const { runId, todo, memory } = state;
  return <StepList {...{ steps, running, isWorking, runId, todo, memory }} {...shown} />;
}

/** Returns the same list as before while its members are the same. */
function useUnchanged<Member>(members: Member[]): Member[] {
  const kept = useRef(members);
  const isSame =
    members.length === kept.current.length && members.every((member, at) => member === kept.current[at]);
  if (!isSame) kept.current = members;
  return kept.current;
}

interface ListProps extends Omit<Props, "state">, Pick<RunState, "runId" | "todo" | "memory"> {
  steps: Step[];
  isWorking: boolean;
}

/** The text of an answer changes many times a second, its steps do not: they are rendered when they change. */
const StepList = memo(function StepList(props: ListProps) {
  const { steps, running, isWorking, runId, todo, thought, open, onOpen, nested } = props;
  const [startedAt] = useState(() => Date.now());
  const now = useClock(isWorking);
  const memory = props.memory ? <MemoryLine ids={props.memory} /> : null;
  if (steps.length === 0) return memory;
  const calls = steps.flatMap((step) => (step.type === "tool" ? [step.call] : []));
  const done = sentenceOf(running ? calls.filter(hasEnded) : calls);
  const sentence = isWorking
    ? workingText(steps, thought, now - startedAt, todo)
    : pastText(done, steps, open);
  const spent = isWorking || done === "" ? undefined : sumOf(steps);
  if ((open ? steps : steps.filter((step) => !isShownAsCard(step))).length === 0) return memory;
  if (sentence === undefined) return memory;
  return (
    <div className="steps" data-part="step">
      <Button className="step-line" aria-expanded={open} onClick={() => onOpen(!open)}>
        {isWorking ? <span className="ring" /> : <Icon name={lineIcon(done, calls)} size="small" />}
        <span className="step-name">{sentence}</span>
        {spent !== undefined && <span className="step-spent"> · {duration(spent)}</span>}
        <Icon name="next" size="tiny" />
      </Button>
      {open && (
        <ol className="timeline" data-part="timeline" aria-label={t("steps")}>
          {props.memory && (
            <li>
              <span className="node">
                <Icon name="memory" size="small" />
              </span>
              <MemoryUsed ids={props.memory} />
            </li>
          )}
          {steps.map((step, index) => (
            <li key={index}>
              <span className="node">
                <Icon name={iconOfStep(step)} size="small" />
              </span>
              {step.type === "reasoning" ? (
                <ReasoningStep reasoning={step.reasoning} running={running} />
              ) : (
                <CallStep call={step.call} runId={runId} running={running} nested={nested} />
              )}
            </li>
          ))}
          {todo && todo.length > 0 && (
            <li>
              <span className="node">
                <Icon name="menu" size="small" />
              </span>
              <TodoList items={todo} />
            </li>
          )}
        </ol>
      )}
    </div>
  );
});

function workingText(
  steps: readonly Step[],
  thought: string | undefined,
  spent: number,
  todo: RunState["todo"] = [],
): string {
  const last = steps.at(-1);
  const doing = todo.findIndex(({ state }) => state === "doing");
  if (doing !== -1)
    return t("todoNow", { text: todo[doing]?.text ?? "", number: doing + 1, count: todo.length });
  if (steps.length > 2) return t("workingSteps", { count: steps.length, time: duration(spent) });
  if (last?.type === "tool") return wordsOf(last.call, last.call.status);
  return thought ?? last?.reasoning.steps.at(-1)?.title ?? t("thinking");
}

function pastText(done: string, steps: readonly Step[], always: boolean): string | undefined {
  if (done !== "") return done;
  const thought = sumOf(steps.filter(({ type }) => type === "reasoning"));
  return always || thought >= SHORT_MS
    ? capitalized(t("thoughtForWords", { time: duration(thought) }))
    : undefined;
}

function sumOf(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + timeOf(step), 0);
}

function ReasoningStep({ reasoning, running }: { reasoning: ReasoningState; running: boolean }) {
  const isThinking = running && !reasoning.complete;
  return (
    <div className="reasoning">
      <p className="step-head">
        <span>{t(isThinking ? "thinking" : "thought")}</span>
        {reasoning.durationMs !== undefined && <Spent ms={reasoning.durationMs} />}
      </p>
      <Thoughts reasoning={reasoning} />
    </div>
  );
}

function CallStep({
  call,
  runId,
  running,
  nested,
}: {
  call: ToolCallState;
  runId: string;
  running: boolean;
  nested(runId: string): ReactNode;
}) {
  const status = statusOf(call, running);
  const edited = status === "succeeded" ? editCounts(call) : undefined;
  return (
    <div className="call" data-status={status} data-tool={call.toolName}>
      <p className="step-head">
        <span>
          <Sentence text={capitalized(wholeWordsOf(call, status), [call])} code={codeIn(call)} />
        </span>
        {edited ? <Counts {...edited} /> : call.latencyMs !== undefined && <Spent ms={call.latencyMs} />}
      </p>
      <CallDetails call={call} runId={runId} status={status} />
      {call.childRunId !== undefined && nested(call.childRunId)}
    </div>
  );
}

/** A sentence about a call, with the command or the file in the letters of code. */
function Sentence({ text, code }: { text: string; code: string | undefined }) {
  const at = code === undefined ? -1 : text.indexOf(code);
  if (code === undefined || at === -1) return text;
  return (
    <>
      {text.slice(0, at)}
      <code dir="auto">{code}</code>
      {text.slice(at + code.length)}
    </>
  );
}

/** How many lines an edit of a file has added and removed. */
function editCounts(call: ToolCallState): { added: number; removed: number } | undefined {
  const lines = editedLines(call.arguments);
  const count = (mark: string) => (lines ?? []).filter((line) => line.startsWith(mark)).length;
  return lines && { added: count("+"), removed: count("-") };
}

function Spent({ ms }: { ms: number }) {
  return <span className="step-time">{duration(ms)}</span>;
}

function isGoing(step: Step): boolean {
  if (step.type === "reasoning") return !step.reasoning.complete;
  // What waits for the person has a card, and nothing continues meanwhile.
  return !hasEnded(step.call) && step.call.status !== "waiting";
}

function hasEnded({ status }: ToolCallState): boolean {
  return status === "succeeded" || status === "failed";
}

/** The card of an artifact is its step: no line says the same again. */
function isShownAsCard(step: Step): boolean {
  return step.type === "tool" && makesArtifact(step.call);
}

function timeOf(step: Step): number {
  return (step.type === "reasoning" ? step.reasoning.durationMs : step.call.latencyMs) ?? 0;
}

/** The icon of the first thing that was done, or a cross if nothing was. */
function lineIcon(done: string, calls: readonly ToolCallState[]): IconName {
  const [first] = calls;
  if (done === "" || !first) return "thought";
  return calls.every((call) => hasEnded(call) && hasFailed(call)) ? "close" : iconOf(first);
}

function iconOfStep(step: Step | undefined): IconName {
  if (step?.type !== "tool") return "thought";
  return hasEnded(step.call) && hasFailed(step.call) ? "close" : iconOf(step.call);
}
