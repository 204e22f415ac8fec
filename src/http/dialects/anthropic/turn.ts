import { Failure } from "../../../protocol/failure.ts";
import { isObject, type JsonObject } from "../../../protocol/json.ts";
import type { NativeRequest } from "../../../protocol/native-request.ts";
import type { RecalledTurn, TurnExtent, TurnRequest, Turns } from "../../../protocol/turns.ts";
import { type Earlier, newestOf, type Refusals, toHistory } from "../openai/history.ts";
import { runIdOf } from "../openai/ids.ts";
import { namingModel } from "../openai/start-turn.ts";
import { refused } from "./errors.ts";
import { OWN_SIGNATURE } from "./messages.ts";
import type { readCountRequest } from "./request.ts";

/** The dialect of vendors that get a request as it is. */
export const DIALECT = "anthropic-messages";
/** Headers that only Anthropic understands. */
const HEADERS = ["anthropic-version", "anthropic-beta"];
/** Betas about what happens here. */
const OWN_BETA = /^message-threads-/;
/** Fields that are ours: `thread` names a conversation that only we know. */
const OWN_FIELDS = ["model", "stream", "thread"];

type Asked = ReturnType<typeof readCountRequest>;

/** Converts the request to a turn, and measures it. A vendor that speaks the same dialect gets the request as it is. */
export async function toMessagesTurn(
  request: Asked,
  turns: Turns,
  header: (name: string) => string | undefined,
): Promise<{ turn: TurnRequest; extent: TurnExtent }> {
  const earlier = await earlierOf(request, turns);
  const history = await toHistory(request.clientMessages, REFUSALS, turns.recall, earlier);
  const common = { ...optionsOf(request, earlier?.turn), history, newest: newestOf(history) };
  const extent = await namingModel(request.model, () => turns.measure(common));
  const { offered, toolChoice = "" } = request;
  const isForeign = extent.dialect !== DIALECT || request.hasOwnCalls || offered.names.length > 0 || earlier;
  if (isForeign) {
    if (offered.hosted.includes(toolChoice))
      throw refused("tool_choice", `Tool '${toolChoice}' is not offered by this model's vendor`);
    const left = offered.hosted.map((name) => `The tool ${name} is not offered by this model's vendor.`);
    return { turn: { ...common, optionalTools: offered.optional, warnings: left }, extent };
  }
  const headers = Object.fromEntries(HEADERS.flatMap((name) => withoutOwn(name, header(name))));
  const native: NativeRequest = {
    dialect: DIALECT,
    headers,
    body: nativeBody(request.body),
    messages: history.length,
  };
  const { toolChoice: _choice, ...rest } = common;
  // The vendor's own tools are in its request alone.
  const isKnown = !offered.hosted.includes(toolChoice) && !offered.optional.includes(toolChoice);
  return { turn: { ...(isKnown ? common : rest), settings: { ...common.settings, native } }, extent };
}

function withoutOwn(name: string, value: string | undefined): [string, string][] {
  const kept = (value ?? "").split(",").filter((one) => one.trim() !== "" && !OWN_BETA.test(one.trim()));
  return kept.length > 0 ? [[name, kept.join(",")]] : [];
}

/** A continued conversation has the tools, the instructions and the settings that it began with. */
function optionsOf(request: Asked, earlier: RecalledTurn | undefined): TurnRequest {
  const { offered, toolChoice, reasoningEffort, model } = request;
  const { native: _native, ...before } = earlier?.request.settings ?? {};
  const tools = earlier
    ? { tools: earlier.request.tools ?? [], clientTools: earlier.request.clientTools ?? [] }
    : { tools: offered.names, clientTools: offered.specs };
  return {
    model,
    ...tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    settings: { ...before, ...request.settings },
  };
}

async function earlierOf({ previousMessageId: id }: Asked, turns: Turns): Promise<Earlier | undefined> {
  if (id === undefined) return undefined;
  const turn = id.startsWith("msg_") ? await turns.recall(runIdOf(id)) : undefined;
  if (turn?.answer) return { turn, history: await turns.historyOf(turn), lenient: false };
  const details = { anthropic: { error_code: "thread_not_found" } };
  throw new Failure("NOT_FOUND", `thread: no conversation was found for ${id.slice(0, 100)}`, { details });
}

/** Returns the request without what is ours, and without reasoning that Anthropic has not signed. */
function nativeBody(body: JsonObject): JsonObject {
  const kept = Object.entries(body).filter(([name]) => !OWN_FIELDS.includes(name));
  const { messages, ...rest } = Object.fromEntries(kept);
  return { ...rest, messages: (Array.isArray(messages) ? messages : []).map(withoutUnsigned) };
}

function withoutUnsigned<Message>(message: Message): Message {
  if (!isObject(message) || !Array.isArray(message.content)) return message;
  const content = message.content.filter((block: unknown) => {
    if (!isObject(block) || block.type !== "thinking") return true;
    return block.signature !== OWN_SIGNATURE && block.signature !== "";
  });
  return content.length === message.content.length ? message : { ...message, content };
}

const REFUSALS: Refusals = {
  nothingAsked: unexpected,
  unknownCall: unexpected,
  answeredTwice: (at, id) => refused(`messages.${at}`, `${ANSWERED_TWICE} with id: ${id.slice(0, 100)}`),
  unanswered: (ids) => refused("messages", `${UNANSWERED} ${ids.slice(0, 20).join(", ")}. ${EACH_ANSWERED}`),
};
const ANSWERED_TWICE = "each tool_use must have a single result. Found multiple `tool_result` blocks";
const UNANSWERED = "`tool_use` ids were found without `tool_result` blocks immediately after:";
const EACH_ANSWERED =
  "Each `tool_use` block must have a corresponding `tool_result` block in the next message.";

function unexpected(at: number, id: string): Failure {
  return refused(
    `messages.${at}`,
    `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id.slice(0, 100)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
  );
}
