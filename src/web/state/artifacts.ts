import { callsOf, type ToolCallState } from "../../protocol/reduce.ts";
import { conversation } from "./conversation.ts";
import { view } from "./view.ts";

/** The call with this id in the conversation that is open. */
export function useCall(toolCallId: string | undefined): ToolCallState | undefined {
  return conversation(({ live, messages }) => {
    if (toolCallId === undefined) return undefined;
    const states = [live?.state, ...messages.map(({ state }) => state).reverse()];
    for (const state of states) {
      const call = state && callsOf(state).find((one) => one.toolCallId === toolCallId);
      if (call) return call;
    }
    return undefined;
  });
}

/** Opens an artifact beside the chat as soon as a call begins to make one. */
export function openNewArtifacts(): void {
  const seen = new Set<string>();
  conversation.subscribe(({ live }) => {
    if (!live) return;
    for (const { toolCallId, toolName, artifact, status } of callsOf(live.state)) {
      const making = artifact !== undefined || (toolName === "generate_artifact" && status === "running");
      if (!making || seen.has(toolCallId)) continue;
      seen.add(toolCallId);
      // On a phone it would cover the answer: there it is opened by hand.
      if (matchMedia("(min-width: 1000px)").matches) view.setState({ artifact: { toolCallId } });
    }
  });
}
