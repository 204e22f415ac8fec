import { callsOf, findCall, type ToolCallState } from "../../protocol/reduce.ts";
import { conversation } from "./conversation.ts";
import { hasRoom } from "./panel-width.ts";
import { view } from "./view.ts";

/** Returns a call of the open conversation. */
export function useCall(toolCallId: string | undefined): ToolCallState | undefined {
  return conversation(({ live, messages }) => {
    if (toolCallId === undefined) return undefined;
    const states = [live?.state, ...messages.map(({ state }) => state).reverse()];
    for (const state of states) {
      const call = state && findCall(state, toolCallId);
      if (call) return call;
    }
    return undefined;
  });
}

/** Returns true from the moment a call begins to make an artifact. */
export function makesArtifact({ toolName, artifact, status }: ToolCallState): boolean {
  return artifact !== undefined || (toolName === "generate_artifact" && status === "running");
}

/** Conversations in which the person closed the panel: it does not open by itself there again. */
const closed = new Set<string>();

/** Closes the panel for the person. */
export function closeArtifact(): void {
  closed.add(conversation.getState().sessionId ?? "");
  view.setState({ artifact: undefined });
}

/** Opens the panel as soon as a call begins to make an artifact, if that does not disturb the person. */
export function openNewArtifacts(): void {
  const seen = new Set<string>();
  conversation.subscribe(({ live, sessionId }) => {
    if (!live) return;
    for (const call of callsOf(live.state)) {
      const { toolCallId } = call;
      closeFailed(call);
      if (!makesArtifact(call) || seen.has(toolCallId)) continue;
      seen.add(toolCallId);
      const { artifact: open } = view.getState();
      if (open) view.setState({ artifact: { ...open, toolCallId } });
      else if (hasRoom() && !closed.has(sessionId ?? "") && !isOccupied())
        view.setState({ artifact: { toolCallId } });
    }
  });
}

/** Closes the panel of a call that made nothing: there is nothing to show. */
function closeFailed({ toolCallId, status, artifact }: ToolCallState): void {
  if (status !== "failed" || artifact) return;
  if (view.getState().artifact?.toolCallId === toolCallId) view.setState({ artifact: undefined });
}

/** Returns true while the person types or has selected something. */
function isOccupied(): boolean {
  const field = document.activeElement;
  const typing =
    (field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) && field.value !== "";
  return typing || getSelection()?.isCollapsed === false;
}
