import { type CSSProperties, Suspense } from "react";
import { useCall } from "../state/artifacts.ts";
import { panelWidth } from "../state/panel-width.ts";
import { view } from "../state/view.ts";
import { loadLater } from "../ui/load-later.ts";

const Panel = loadLater(async () => (await import("./panel.tsx")).Panel);

/** The open artifact, if there is one. */
export function ArtifactPanel() {
  const open = view((state) => state.artifact);
  const call = useCall(open?.toolCallId);
  if (!open || !call) return null;
  return (
    <Suspense fallback={null}>
      <Panel key={open.toolCallId} call={call} />
    </Suspense>
  );
}

/** Returns the style that tells the page how wide the person wants the panel. One that opens by itself takes what is free. */
export function usePanelStyle(): CSSProperties | undefined {
  const chosen = panelWidth((state) => state.chosen);
  const byPerson = view((state) => state.artifact?.byPerson);
  const style: Record<`--${string}`, string> = { "--panel-chosen": `${chosen}px` };
  return byPerson && chosen !== undefined ? style : undefined;
}
