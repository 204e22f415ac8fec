import type { Conversation } from "../../../protocol/conversations.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { ToolSpec } from "../../../protocol/model.ts";
import type { RecalledTurn, StartedTurn, TurnRequest, Turns } from "../../../protocol/turns.ts";
import { refused } from "./errors.ts";
import { fitVendor } from "./fit-vendor.ts";
import { instructionsIn, newestOf, type Refusals, toHistory } from "./history.ts";
import { runIdOf } from "./ids.ts";
import { foundTools, readInput } from "./response-input.ts";
import type { ResponseRequest } from "./response-request.ts";
import { namingModel, type StartOptions, startTurn } from "./start-turn.ts";
import { checkChoice } from "./tool-choice.ts";
import { type OfferedTools, withAdded, withFound } from "./tools.ts";
import { conversationInput } from "./turn-items.ts";

/** A turn, and the tools of the client's in it. */
type StartedResponse = StartedTurn & { specs: ToolSpec[] };
type Start = (turn: TurnRequest, offered?: OfferedTools) => Promise<StartedResponse>;

/** Starts the turn of a response: a new conversation, a stored one, or one that continues an earlier response. */
export async function startResponse(
  turns: Turns,
  asked: ResponseRequest,
  options: StartOptions,
): Promise<StartedResponse> {
  const request = await fitVendor(asked, async () => {
    const { dialect } = await namingModel(asked.model, () => turns.measure(commonOf(asked)));
    return dialect;
  });
  const { previousResponseId, conversationId } = request;
  const common = commonOf(request);
  const start: Start = async (turn, offered = request.offered) => {
    checkChoice(request.toolChoice, offered);
    const { specs, withheld } = offered;
    const whole = { ...common, clientTools: specs, ...(withheld && { withheldTools: withheld }), ...turn };
    return { ...(await startTurn(turns, whole, options)), specs: offered.specs };
  };
  if (previousResponseId !== undefined) return continueFrom(turns, request, start, previousResponseId);
  const conversation =
    conversationId === undefined ? undefined : await findConversation(turns, conversationId);
  if (conversation && (await hasOwnItems(turns, conversation))) {
    const { sessionId } = conversation;
    const before = await conversationInput(turns, conversation);
    const said = readInput([...before, ...request.input], turns.unseal);
    const history = await toHistory(said, REFUSALS, turns.recall);
    const offered = withFound(request.offered, foundTools(before));
    return unlocked(() => start({ sessionId, history, newest: newestOf(history) }, offered));
  }
  const clientMessages = readInput(request.input, turns.unseal);
  if (conversationId !== undefined) {
    const turn = await turns.newestIn(conversationId);
    const earlier = turn && { turn, history: [], lenient: true };
    const history = await toHistory(clientMessages, REFUSALS, turns.recall, earlier);
    const words = instructionsIn(clientMessages, request.instructions);
    const offered = turn ? offeredAfter(turn, request) : request.offered;
    return unlocked(() => start({ sessionId: conversationId, newest: newestOf(history), ...words }, offered));
  }
  const history = await toHistory(clientMessages, REFUSALS, turns.recall);
  return start({ history, newest: newestOf(history) });
}

/** Measures a request for a response, with everything that its model would read. */
export async function measureResponse(turns: Turns, request: ResponseRequest): Promise<number> {
  const { previousResponseId, conversationId, model } = request;
  const turn = previousResponseId === undefined ? undefined : await endedResponse(turns, previousResponseId);
  const earlier = turn && { turn, history: await turns.historyOf(turn), lenient: true };
  const conversation =
    conversationId === undefined ? undefined : await findConversation(turns, conversationId);
  const said = await messagesIn(turns, conversation, request);
  const history = await toHistory(said, REFUSALS, turns.recall, earlier);
  const { tokens } = await namingModel(model, () => turns.measure({ ...commonOf(request), history }));
  return tokens;
}

/** Finds a conversation. A name that its client made up may be new; an id of ours may not. */
async function findConversation(turns: Turns, id: string): Promise<Conversation | undefined> {
  const conversation = await turns.conversations.find(id);
  if (!conversation && id.startsWith(CONVERSATION)) throw conversationNotFound(id);
  return conversation;
}

const CONVERSATION = "conv_";

/** True if a conversation is more than what was said in its session. */
async function hasOwnItems(turns: Turns, conversation: Conversation): Promise<boolean> {
  return conversation.id.startsWith(CONVERSATION) || turns.conversations.isEdited(conversation);
}

async function messagesIn(turns: Turns, conversation: Conversation | undefined, { input }: ResponseRequest) {
  const before = conversation ? await conversationInput(turns, conversation) : [];
  return readInput([...before, ...input], turns.unseal);
}

/** The failure for a conversation that does not exist, or that is somebody else's. */
export function conversationNotFound(id: string): Failure {
  return new Failure("NOT_FOUND", `Conversation with id '${id.slice(0, 100)}' not found.`, {
    details: { param: null, openAiCode: null },
  });
}

/** Starts a turn in a conversation, which takes one at a time. */
async function unlocked<Started>(start: () => Promise<Started>): Promise<Started> {
  try {
    return await start();
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== "CONFLICT" || !thrown.details?.runId) throw thrown;
    const details = { ...thrown.details, openAiCode: "conversation_locked", param: "conversation" };
    throw new Failure("CONFLICT", thrown.publicMessage, { retryable: true, details });
  }
}

/** Continues a conversation from its newest response, or branches off a new one from an older response. */
async function continueFrom(
  turns: Turns,
  request: ResponseRequest,
  start: Start,
  previousResponseId: string,
): Promise<StartedResponse> {
  const { input } = request;
  const turn = await endedResponse(turns, previousResponseId);
  const offered = offeredAfter(turn, request);
  const clientMessages = readInput(input, turns.unseal);
  const branch = async () => {
    const earlier = { turn, history: await turns.historyOf(turn), lenient: false };
    const history = await toHistory(clientMessages, REFUSALS, turns.recall, earlier);
    return start({ history, newest: newestOf(history) }, offered);
  };
  const newest = await turns.newestIn(turn.sessionId);
  const speaksAsSystem = clientMessages.some(({ role }) => role === "system");
  if (newest?.runId !== turn.runId || speaksAsSystem) return branch();
  const said = await toHistory(clientMessages, REFUSALS, turns.recall, { turn, history: [], lenient: false });
  try {
    return await start({ sessionId: turn.sessionId, newest: newestOf(said) }, offered);
  } catch (thrown) {
    // Another request continued from the same response a moment ago.
    if (thrown instanceof Failure && thrown.code === "CONFLICT" && thrown.details?.runId) return branch();
    throw thrown;
  }
}

/** The tools of a request, with those that the conversation before it has offered. */
function offeredAfter({ request }: RecalledTurn, { offered }: ResponseRequest): OfferedTools {
  const earlier = request.clientTools?.filter(({ added }) => added) ?? [];
  return withAdded(offered, [...earlier, ...(request.withheldTools ?? [])]);
}

async function endedResponse(turns: Turns, id: string): Promise<RecalledTurn> {
  const turn = await findResponse(turns, id);
  if (!turn) {
    throw refused(
      `Previous response with id '${id.slice(0, 100)}' not found.`,
      "previous_response_id",
      "previous_response_not_found",
    );
  }
  if (turn.answer) return turn;
  throw refused(
    "The previous response is still in progress. Wait until it ends, or cancel it.",
    "previous_response_id",
  );
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
    // A client cannot come back to a response that is not stored, unless it is part of a conversation.
    ...(echo.store !== false || request.conversationId ? { input: { body: { items: request.input } } } : {}),
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
