import { callsOf, findCall, type ToolCallState } from "../../protocol/reduce.ts";
import { conversation } from "./conversation.ts";
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

/** Opens the panel as soon as a call begins to make an artifact. */
export function openNewArtifacts(): void {
  const seen = new Set<string>();
  conversation.subscribe(({ live }) => {
    if (!live) return;
    for (const { toolCallId, toolName, artifact, status } of callsOf(live.state)) {
      const making = artifact !== undefined || (toolName === "generate_artifact" && status === "running");
      if (!making || seen.has(toolCallId)) continue;
      seen.add(toolCallId);
      // On a narrow screen it would cover the answer.
      if (matchMedia("(min-width: 1000px)").matches) view.setState({ artifact: { toolCallId } });
    }
  });
}
