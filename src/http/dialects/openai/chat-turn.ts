import type { TurnRequest, Turns } from "../../../protocol/turns.ts";
import type { ChatCompletionRequest } from "./chat-request.ts";
import { refused } from "./errors.ts";
import { type Earlier, instructionsIn, newestOf, type Refusals, toHistory } from "./history.ts";
import { modelId } from "./start-turn.ts";

/** Converts the request to a turn: with the client's history, or with what is new in a stored conversation. */
export async function toChatTurn(request: ChatCompletionRequest, turns: Turns): Promise<TurnRequest> {
  const { offered, conversationId, systemPrompt, settings } = request;
  const optional = {
    model: modelId(request.model, request.providerId),
    toolChoice: request.toolChoice,
    reasoningEffort: request.reasoningEffort,
    verbosity: request.verbosity,
    clientRequestId: request.clientRequestId,
  };
  const common: TurnRequest = {
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    tools: offered.names,
    clientTools: offered.specs,
    optionalTools: offered.optional,
    warnings: offered.leftOut,
    settings,
  };
  if (conversationId === undefined) {
    const history = await toHistory(request.clientMessages, REFUSALS, turns.recall);
    return { ...common, history, newest: newestOf(history), ...(systemPrompt ? { systemPrompt } : {}) };
  }
  const lastAnswer = request.clientMessages.findLastIndex(({ role }) => role === "assistant");
  const said = request.clientMessages.slice(lastAnswer + 1).filter(({ role }) => role !== "system");
  if (said.length === 0) {
    throw refused(
      "With 'conversation_id' at least one new message must be behind the last answer.",
      "messages",
    );
  }
  const newest = newestOf(
    await toHistory(said, REFUSALS, turns.recall, await earlierIn(conversationId, turns)),
  );
  const words = instructionsIn(request.clientMessages, systemPrompt);
  return { ...common, sessionId: conversationId, newest, ...words };
}

async function earlierIn(conversationId: string, turns: Turns): Promise<Earlier | undefined> {
  const turn = await turns.newestIn(conversationId);
  return turn && { turn, history: [], lenient: true };
}

const REFUSALS: Refusals = {
  nothingAsked: (at) =>
    refused(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      `messages.[${at}].role`,
    ),
  unknownCall: (at, id) =>
    refused(
      `Invalid parameter: 'tool_call_id' of '${id.slice(0, 100)}' not found in 'tool_calls' of previous message.`,
      `messages.[${at}].tool_call_id`,
    ),
  answeredTwice: (at, id) =>
    refused(
      `Duplicate value for 'tool_call_id' of '${id.slice(0, 100)}' in message[${at}].`,
      `messages.[${at}].tool_call_id`,
    ),
  unanswered: (ids) =>
    refused(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.slice(0, 20).join(", ")}`,
      "messages",
    ),
};
