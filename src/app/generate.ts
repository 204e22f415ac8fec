import { z } from "zod";
import { streamTurn, type TurnOptions } from "../client/turn.ts";
import type { Chat, Decision } from "../protocol/chat.ts";
import type { ChatEvent, EventOf, FinishReason } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import type { JsonSchema } from "../protocol/json.ts";
import type { Usage } from "../protocol/model.ts";
import type { Answer } from "../protocol/questions.ts";
import { callsOf, emptyRun, type RunState, reduce } from "../protocol/reduce.ts";
import { type ChatRequest, checkOptions } from "../protocol/requests.ts";

type RequestOptions = Pick<
  ChatRequest,
  "sessionId" | "model" | "tools" | "toolChoice" | "attachments" | "reasoningEffort"
>;

type Decided = Decision["decision"] | Omit<Decision, "argumentsHash">;

/** What to generate. */
export interface GenerateOptions<Schema extends z.ZodType | JsonSchema = z.ZodType | JsonSchema>
  extends Omit<TurnOptions, "schema">,
    RequestOptions {
  /** What to ask. */
  prompt?: string;
  /** A whole conversation instead of `prompt`. */
  messages?: ChatRequest["messages"];
  /** What the answer must look like: a zod schema or a JSON Schema. `object` then holds it. */
  schema?: Schema;
  /** Decides on a call that needs an approval. Without it, such calls are denied. A plan may be approved with other `steps`. */
  approve?(call: EventOf<"tool_approval_required">): Promise<Decided> | Decided;
  /** Answers a question that the model or a tool asks. Without it, they are told that nobody is there. */
  answer?(question: EventOf<"question_required">): Promise<Answer> | Answer;
  /** Called with every event, and waited for. If it fails, so does the request. */
  onEvent?(event: ChatEvent): Promise<void> | void;
}

/** The answer to one request. */
export interface Generated<Value = unknown> {
  /** The whole text of the answer. */
  text: string;
  /** The answer as a value, where a schema was given. */
  object?: Value;
  /** The calls that were made, in order, with their results. `isCallOf` tells the types of their arguments. */
  toolCalls: { toolCallId: string; toolName: string; arguments: unknown; success: boolean; output: string }[];
  usage: Usage;
  finishReason: FinishReason;
  /** How often the model was asked. */
  steps: number;
  /** To continue the conversation. */
  sessionId: string;
  runId: string;
}

const TURN_OPTIONS: Record<keyof TurnOptions, true> = {
  system: true,
  schema: true,
  maxSteps: true,
  maxToolCalls: true,
  idempotencyKey: true,
  signal: true,
};
const REQUEST_OPTIONS: Record<keyof RequestOptions, true> = {
  sessionId: true,
  model: true,
  tools: true,
  toolChoice: true,
  attachments: true,
  reasoningEffort: true,
};
const OPTIONS: Record<keyof GenerateOptions, true> = {
  ...TURN_OPTIONS,
  ...REQUEST_OPTIONS,
  prompt: true,
  messages: true,
  approve: true,
  answer: true,
  onEvent: true,
};

const DENIED = "Nobody can approve this call here.";
const UNANSWERED = "Nobody is there to answer. Go on with what is most sensible and say so, or stop.";

/** Asks once and returns the whole answer, after all tools have run. Throws `Failure` if there is none. */
export async function generate<Schema extends z.ZodType | JsonSchema>(
  chat: Chat,
  options: GenerateOptions<Schema>,
): Promise<Generated<Schema extends z.ZodType ? z.output<Schema> : unknown>> {
  checkOptions("generate", options, OPTIONS);
  const { prompt, messages, system, maxSteps, maxToolCalls, idempotencyKey, signal, schema } = options;
  const { approve, answer, onEvent, sessionId, model, tools, toolChoice, attachments, reasoningEffort } =
    options;
  if ((prompt === undefined) === (messages === undefined))
    throw new Failure("INVALID_INPUT", "generate: give either prompt or messages.");
  const request = { sessionId, model, tools, toolChoice, attachments, reasoningEffort, messages };
  const nobody = approve || answer ? {} : { attended: false };
  const asked = { system, maxSteps, maxToolCalls, idempotencyKey, signal };
  const format = schema === undefined ? {} : { schema: jsonSchemaOf(schema) };
  const stopped = () => new Failure("CANCELLED", "The answer was stopped.");
  if (signal?.aborted) throw stopped();
  let state = emptyRun();
  const turn = streamTurn(
    chat,
    { ...defined(request), ...nobody, message: prompt },
    { ...defined(asked), ...format },
  );
  for await (const event of turn) {
    state = reduce(state, event);
    await onEvent?.(event);
    if (event.type === "tool_approval_required") {
      const given = (await approve?.(event)) ?? "deny";
      const decision = typeof given === "string" ? { decision: given } : given;
      const note = approve ? {} : { note: DENIED };
      await chat.decide(state.runId, event.toolCallId, {
        ...decision,
        argumentsHash: event.argumentsHash,
        ...note,
      });
    }
    if (event.type === "question_required")
      await chat.answer(state.runId, event.toolCallId, (await answer?.(event)) ?? UNANSWERED);
  }
  if (state.error) throw failureOf(state.error);
  if (state.finishReason === "cancelled") throw stopped();
  const generated = answerOf(state);
  return schema === undefined ? generated : { ...generated, object: objectOf(schema, state) };
}

function answerOf(state: RunState): Generated<never> {
  const { text, usage = { inputTokens: 0, outputTokens: 0 }, finishReason = "stop", iterations } = state;
  const toolCalls = callsOf(state).map(({ toolCallId, toolName, arguments: args, status, output = "" }) => ({
    toolCallId,
    toolName,
    arguments: args,
    success: status === "succeeded",
    output,
  }));
  const { sessionId, runId } = state;
  return { text, toolCalls, usage, finishReason, steps: iterations, sessionId, runId };
}

/** The last text of the answer as a value that matches the schema. */
function objectOf<Schema extends z.ZodType | JsonSchema>(
  schema: Schema,
  { blocks, finishReason }: RunState,
): Schema extends z.ZodType ? z.output<Schema> : unknown {
  const last = blocks.findLast((block) => block.type === "text");
  try {
    const value: unknown = JSON.parse(last?.type === "text" ? last.text : "");
    return (schema instanceof z.ZodType ? schema.parse(value) : value) as never;
  } catch (cause) {
    const cut = finishReason === "stop" ? "" : ` The answer ended with "${finishReason}".`;
    throw new Failure("UPSTREAM_ERROR", `The model's answer does not match the schema.${cut}`, { cause });
  }
}

/** The model writes what the schema takes, which differs from what it returns if it transforms values. */
function jsonSchemaOf(schema: z.ZodType | JsonSchema): JsonSchema {
  if (!(schema instanceof z.ZodType)) return schema;
  return z.toJSONSchema(schema, {
    io: "input",
    // Vendors that guarantee a schema take only closed objects.
    override: ({ jsonSchema }) => {
      if (jsonSchema.properties) jsonSchema.additionalProperties ??= false;
    },
  }) as JsonSchema;
}

function failureOf({ code, error, retryable, retryAfter }: NonNullable<RunState["error"]>): Failure {
  return new Failure(code, error, { retryable, retryAfter });
}

function defined<Value extends object>(value: Value): { [Key in keyof Value]: NonNullable<Value[Key]> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
