import { Fragment, memo, useMemo, useState } from "react";
import { isEndWarning } from "../../protocol/end-warnings.ts";
import type { Source } from "../../protocol/events.ts";
import { REASONING_SOURCE } from "../../protocol/reasoning-steps.ts";
import { type Block, callsOf, type RunState } from "../../protocol/reduce.ts";
import { ignoreUnknown } from "../../protocol/unknown.ts";
import { Markdown, SourcesContext } from "../markdown/markdown.tsx";
import { t } from "../text/t.ts";
import { WarningLine } from "../ui/alert.tsx";
import { AskedText } from "./asked-text.tsx";
import { ChildRun } from "./child-run.tsx";
import { CompactionLine } from "./compaction-line.tsx";
import { Decisions } from "./decisions.tsx";
import { Ending, withoutEnd } from "./ending.tsx";
import { ImageView } from "./image-view.tsx";
import { Problem, Retrying } from "./problem.tsx";
import { isCut } from "./problem-words.ts";
import { SourceList } from "./sources.tsx";
import { Steps } from "./steps.tsx";
import { ToolCard } from "./tool-card.tsx";

interface Props {
  state: RunState;
  running: boolean;
  onRetry(model?: string): void;
  /** The steps are unfolded. */
  steps: boolean;
  onSteps(open: boolean): void;
}

/** What a run did, in one line, and what it said and made, in order. */
export function Answer({ state, running, onRetry, steps, onSteps }: Props) {
  const sources = useSources(state);
  const blocks = withoutEnd(state);
  const thought = state.status?.source === REASONING_SOURCE ? state.status.content : undefined;
  return (
    <SourcesContext value={sources}>
      <Steps
        state={state}
        running={running}
        thought={thought}
        open={steps}
        onOpen={onSteps}
        nested={nestedRun}
      />
      {blocks.map((block, index) => (
        <Fragment key={index}>
          <Notices state={state} at={index} />
          <BlockView
            block={block}
            runId={state.runId}
            // A text that something follows is finished.
            running={running && (block.type !== "text" || index === blocks.length - 1)}
          />
        </Fragment>
      ))}
      <Notices state={state} at={state.blocks.length} />
      {!running && <SourceList sources={sources} />}
      {running && <Decisions state={state} />}
      {state.images?.map((image, index) => (
        <ImageView key={index} image={image} alt="" />
      ))}
      {running && state.retry && (
        <Retrying
          key={`${state.retry.attempt}-${state.blocks.length}`}
          retry={state.retry}
          model={state.model}
          cut={isCut(state)}
        />
      )}
      {running && state.status && thought === undefined && (
        <p className="status-line shimmer">{state.status.content}</p>
      )}
      {state.warnings.map((warning, index) =>
        isEndWarning(warning) ? null : (
          <WarningLine key={`${index}-${warning.code}`}>{warning.message}</WarningLine>
        ),
      )}
      {state.error && !running && (
        <Problem error={state.error} model={state.model} hasText={state.text !== ""} onRetry={onRetry} />
      )}
      <Ending state={state} onRetry={onRetry} />
    </SourcesContext>
  );
}

/** What happened to the run before a block. A message that began the run is above the answer already. */
function Notices({ state: { notices = [] }, at }: { state: RunState; at: number }) {
  return notices.map(({ at: place, event }, index) => {
    if (place !== at) return null;
    if (event.type === "context_compacted") return <CompactionLine key={index} {...event} />;
    if (event.type !== "user_message" || event.when !== "now") return null;
    return (
      <div key={event.messageId} className="asked sent-meanwhile" role="note" aria-label={t("sentMeanwhile")}>
        <div className="asked-words" dir="auto">
          <AskedText text={event.text} />
        </div>
      </div>
    );
  });
}

interface BlockProps {
  block: Block;
  runId: string;
  running: boolean;
}

const BlockView = memo(function BlockView({ block, runId, running }: BlockProps) {
  switch (block.type) {
    case "text":
      return <Markdown text={block.text} complete={!running} />;
    case "reasoning":
      return null;
    case "tool":
      return <ToolCard call={block.call} runId={runId} running={running} />;
    default:
      return ignoreUnknown(block, null);
  }
});

function nestedRun(runId: string) {
  return (
    <ChildRun runId={runId} show={(state, running) => <ChildAnswer state={state} running={running} />} />
  );
}

/** What a part of the work did, as a timeline inside of the timeline, and what it found. */
function ChildAnswer({ state, running }: Pick<Props, "state" | "running">) {
  const [steps, setSteps] = useState(true);
  return <Answer state={state} running={running} onRetry={() => {}} steps={steps} onSteps={setSteps} />;
}

/** The sources of all searches, in order. */
function useSources(state: RunState): readonly Source[] {
  const found = callsOf(state).flatMap(({ search }) => (search ? [search] : []));
  const count = found.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a finished search never changes
  return useMemo(() => found.flatMap(({ sources }) => sources), [count]);
}
