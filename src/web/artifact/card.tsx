import type { ArtifactState, ToolCallState } from "../../protocol/reduce.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";

/** Returns the element id of the card of a call: it gets the focus when the panel is closed. */
export function cardIdOf(toolCallId: string): string {
  return `artifact-${toolCallId}`;
}

/** An artifact in the answer: its title, its progress, and a click to open it. */
export function ArtifactCard({ call, artifact }: { call: ToolCallState; artifact: ArtifactState }) {
  const lines = artifact.code.split("\n").length;
  const shown = view((state) => state.artifact?.toolCallId === call.toolCallId);
  const problems = artifact.issues.filter(({ severity }) => severity !== "fixed");
  return (
    <Button
      id={cardIdOf(call.toolCallId)}
      className="artifact-card"
      data-part="artifact-card"
      aria-pressed={shown}
      onClick={() => view.setState({ artifact: shown ? undefined : { toolCallId: call.toolCallId } })}
    >
      <Icon name="artifact" />
      <span className="artifact-title">{artifact.title ?? t("artifact")}</span>
      <span className="hint">
        {artifact.complete
          ? `${artifact.artifactType} · ${t("version", { version: artifact.version ?? 1 })}`
          : t("writingArtifact", { lines })}
        {problems.length > 0 && ` · ${problems[0]?.message}`}
      </span>
      <span className="artifact-open">{t(shown ? "close" : "openArtifact")}</span>
    </Button>
  );
}
