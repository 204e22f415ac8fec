import { Failure } from "../../../protocol/failure.ts";
import type { RecalledTurn, StartedTurn, TurnRequest, Turns } from "../../../protocol/turns.ts";
import { refused } from "./errors.ts";
import { instructionsIn, newestOf, type Refusals, toHistory } from "./history.ts";
import { runIdOf } from "./ids.ts";
import type { ResponseRequest } from "./response-request.ts";
import { type StartOptions, startTurn } from "./start-turn.ts";

/** Starts the turn of a response: a new conversation, a stored one, or one that continues an earlier response. */
export async function startResponse(
  turns: Turns,
  request: ResponseRequest,
  options: StartOptions,
): Promise<StartedTurn> {
  const common = commonOf(request);
  const { clientMessages, previousResponseId, conversationId } = request;
  const start = (turn: TurnRequest) => startTurn(turns, { ...common, ...turn }, options);
  if (previousResponseId !== undefined) return continueFrom(turns, request, start, previousResponseId);
  if (conversationId !== undefined) {
    const turn = await turns.newestIn(conversationId);
    const earlier = turn && { turn, history: [], lenient: true };
    const history = await toHistory(clientMessages, REFUSALS, turns.recall, earlier);
    const words = instructionsIn(clientMessages, request.instructions);
    return start({ sessionId: conversationId, newest: newestOf(history), ...words });
  }
  const history = await toHistory(clientMessages, REFUSALS, turns.recall);
  return start({ history, newest: newestOf(history) });
}

/** Continues a conversation from its newest response, or branches off a new one from an older response. */
async function continueFrom(
  turns: Turns,
  { clientMessages }: ResponseRequest,
  start: (turn: TurnRequest) => Promise<StartedTurn>,
  previousResponseId: string,
): Promise<StartedTurn> {
  const turn = await findResponse(turns, previousResponseId);
  if (!turn) {
    throw refused(
      `Previous response with id '${previousResponseId.slice(0, 100)}' not found.`,
      "previous_response_id",
      "previous_response_not_found",
    );
  }
  if (!turn.answer) {
    throw refused(
      "The previous response is still in progress. Wait until it ends, or cancel it.",
      "previous_response_id",
    );
  }
  const branch = async () => {
    const earlier = { turn, history: await turns.historyOf(turn), lenient: false };
    const history = await toHistory(clientMessages, REFUSALS, turns.recall, earlier);
    return start({ history, newest: newestOf(history) });
  };
  const newest = await turns.newestIn(turn.sessionId);
  const speaksAsSystem = clientMessages.some(({ role }) => role === "system");
  if (newest?.runId !== turn.runId || speaksAsSystem) return branch();
  const said = await toHistory(clientMessages, REFUSALS, turns.recall, { turn, history: [], lenient: false });
  try {
    return await start({ sessionId: turn.sessionId, newest: newestOf(said) });
  } catch (thrown) {
    // Another request continued from the same response a moment ago.
    if (thrown instanceof Failure && thrown.code === "CONFLICT" && thrown.details?.runId) return branch();
    throw thrown;
  }
}

/** Finds a stored response of the caller. */
export async function findResponse(turns: Turns, id: string): Promise<RecalledTurn | undefined> {
  if (!id.startsWith("resp_")) return undefined;
  const turn = await turns.recall(runIdOf(id));
  const { echo } = turn?.request ?? {};
  return echo && echo.store !== false ? turn : undefined;
}

function commonOf(request: ResponseRequest): TurnRequest {
  const { offered, settings, echo } = request;
  const optional = {
    model: request.model,
    systemPrompt: request.instructions,
    toolChoice: request.toolChoice,
    reasoningEffort: request.reasoningEffort,
    verbosity: request.verbosity,
    maxToolCalls: request.maxToolCalls,
  };
  return {
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    tools: offered.names,
    clientTools: offered.specs,
    optionalTools: offered.optional,
    warnings: offered.leftOut,
    settings,
    echo,
  };
}

const REFUSALS: Refusals = {
  nothingAsked: (_, id) => noCall(id),
  unknownCall: (_, id) => noCall(id),
  answeredTwice: (_, id) =>
    refused(`Duplicate function call output found for call_id ${id.slice(0, 100)}.`, "input"),
  unanswered: ([id = ""]) => refused(`No tool output found for function call ${id.slice(0, 100)}.`, "input"),
};

function noCall(id: string) {
  return refused(`No tool call found for function call output with call_id ${id.slice(0, 100)}.`, "input");
}
