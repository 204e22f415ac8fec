import { memo, Suspense } from "react";
import type { ToolCallState } from "../../protocol/reduce.ts";
import { ArtifactCard } from "../artifact/card.tsx";
import { makesArtifact } from "../state/artifacts.ts";
import { t } from "../text/t.ts";
import { loadLater } from "../ui/load-later.ts";
import { ImageView } from "./image-view.tsx";
import { statusOf } from "./tool-step.tsx";
import { summaryOf } from "./tool-summary.ts";

const AppView = loadLater(async () => (await import("../apps/app-view.tsx")).AppView);

/** What a call shows in the answer itself: what it has made. The rest is one of the steps. */
export const ToolCard = memo(function ToolCard(props: {
  call: ToolCallState;
  runId: string;
  running: boolean;
}) {
  const { call, runId, running } = props;
  const status = statusOf(call, running);
  return (
    <div className="tool" data-status={status}>
      {call.app && (
        <Suspense fallback={<p className="hint">{t("loading")}</p>}>
          <AppView
            call={call}
            app={call.app}
            runId={runId}
            ended={status !== "running" && status !== "pending"}
          />
        </Suspense>
      )}
      {makesArtifact(call) && <ArtifactCard call={call} />}
      {call.image && <ImageView image={call.image} alt={summaryOf(call.arguments)} />}
    </div>
  );
});
