import type { ToolCallState } from "../../protocol/reduce.ts";
import { closeArtifact } from "../state/artifacts.ts";
import { view } from "../state/view.ts";
import { duration, t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { iconOfType, kindOfType, titleOf } from "./names.ts";

/** Returns the element id of the card of a call: it gets the focus when the panel is closed. */
export function cardIdOf(toolCallId: string): string {
  return `artifact-${toolCallId}`;
}

/** An artifact in the answer: its title, its progress, and a click to open it. It has its final size from the start. */
export function ArtifactCard({ call }: { call: ToolCallState }) {
  const { toolCallId, artifact } = call;
  const shown = view((state) => state.artifact?.toolCallId === toolCallId);
  const problem = artifact?.issues.find(({ severity }) => severity !== "fixed");
  return (
    <Button
      id={cardIdOf(toolCallId)}
      className="artifact-card"
      data-part="artifact-card"
      aria-pressed={shown}
      onClick={() => (shown ? closeArtifact() : view.setState({ artifact: { toolCallId, byPerson: true } }))}
    >
      <span className="artifact-tile">
        <Icon name={iconOfType(artifact?.artifactType)} />
      </span>
      <span className="artifact-title" dir="auto">
        {titleOf(call)}
      </span>
      <span className="artifact-facts">
        <Facts call={call} />
        {problem && ` · ${problem.message}`}
      </span>
      <span className="artifact-open">{t(shown ? "showing" : "openArtifact")}</span>
    </Button>
  );
}

function Facts({ call: { artifact, latencyMs } }: { call: ToolCallState }) {
  if (!artifact) return t("building");
  const { code, complete, version = 1, artifactType } = artifact;
  if (!complete) return t("writingArtifact", { count: code.split("\n").length });
  return (
    <>
      {t("artifactFacts", { kind: t(kindOfType(artifactType)), version })}
      {latencyMs !== undefined && (
        <span className="built-in"> · {t("builtIn", { time: duration(latencyMs) })}</span>
      )}
    </>
  );
}
