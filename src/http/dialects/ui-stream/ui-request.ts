import { z } from "zod";
import { Failure } from "../../../protocol/failure.ts";
import { isObject, parseJson } from "../../../protocol/json.ts";
import { readSteps } from "../../../protocol/plan.ts";
import { parseRequest } from "../../../protocol/requests.ts";
import type { TurnRequest } from "../../../protocol/turns.ts";
import { type ClientAnswer, emptyAnswer, toClientMessages } from "../front-ends/client-answer.ts";
import type { Thread, ThreadDecision } from "../front-ends/thread.ts";
import { clientTool, toolSpecsOf, turnOptions } from "../front-ends/turn-options.ts";
import { fileContent, readUserParts, toText } from "../front-ends/user-content.ts";
import type { ClientMessage, ClientResult } from "../openai/client-messages.ts";

const id = z.string().min(1).max(200);
/** The fields of a part that we read. The SDK may add others at any time. */
const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  url: z.string().optional(),
  mediaType: z.string().optional(),
  toolCallId: id.optional(),
  toolName: id.optional(),
  state: z.string().optional(),
  errorText: z.string().nullish(),
  approval: z
    .looseObject({
      id: z.string(),
      approved: z.boolean().optional(),
      reason: z.string().max(2_000).nullish(),
    })
    .optional(),
  data: z.unknown().optional(),
});
const message = z.looseObject({
  id: z.string().max(200).default(""),
  role: z.enum(["system", "user", "assistant"]),
  parts: z.array(part).max(10_000),
});

const uiRequest = z.looseObject({
  ...turnOptions,
  id,
  messages: z.array(message).min(1).max(2_000).optional(),
  /** The newest message, for clients that leave the history to us. */
  message: message.optional(),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
  messageId: id.nullish(),
  tools: z
    .array(z.union([id, clientTool]))
    .max(512)
    .optional(),
  onDisconnect: z.enum(["continue", "cancel"]).default("continue"),
});

type Part = z.output<typeof part>;
type Message = z.output<typeof message>;

/** A request of the AI SDK's chat, read and checked. */
export interface UiRequest {
  thread: Thread;
  turn: TurnRequest;
  onDisconnect: "continue" | "cancel";
  /** The message that the answer continues, and the runs that wrote it. */
  continued?: { messageId: string; runIds: string[] };
}

/** Reads the body of `POST /chat/ui`. Throws INVALID_INPUT. */
export function readUiRequest(body: unknown): UiRequest {
  const { id, trigger, tools, onDisconnect, ...rest } = parseRequest(uiRequest, body);
  const messages = messagesOf(id, rest);
  const last = messages.at(-1);
  const runIds = messages.flatMap((one) => (one.role === "assistant" ? runsIn(one) : []));
  const resumed = last?.role === "assistant";
  const instructions = messages.flatMap((one) => (one.role === "system" ? [textIn(one.parts)] : []));
  const { model, toolChoice, modeHint, reasoningEffort, verbosity, attachments } = rest;
  return {
    thread: {
      protocol: "ui",
      id,
      clientMessages: messages.flatMap((one, at) => clientMessagesIn(one, at, at === messages.length - 1)),
      lastRunId: runIds.at(-1),
      decisions: resumed ? decisionsIn(last) : [],
      ...(trigger === "regenerate-message" ? { again: { messageId: rest.messageId ?? undefined } } : {}),
    },
    turn: {
      ...defined({ model, toolChoice, modeHint, reasoningEffort, verbosity, attachments }),
      ...toolSpecsOf(tools),
      instructions: instructions.join("\n\n"),
    },
    onDisconnect,
    ...(resumed ? { continued: { messageId: last.id, runIds: runsIn(last) } } : {}),
  };
}

function messagesOf(
  id: string,
  { messages, message }: { messages?: Message[]; message?: Message },
): Message[] {
  if (messages) return messages;
  if (message && id.startsWith("ses_")) return [message];
  throw new Failure(
    "INVALID_INPUT",
    "The request is not valid: send all messages. One message alone is enough where the chat's id is that of a session.",
  );
}

function defined<Shape extends object>(shape: Shape): Partial<Shape> {
  return Object.fromEntries(
    Object.entries(shape).filter(([, value]) => value !== undefined),
  ) as Partial<Shape>;
}

/** The runs of a message, in order. */
function runsIn({ parts }: Message): string[] {
  return parts.flatMap((one) => runOf(one) ?? []);
}

function runOf({ type, data }: Part): string | undefined {
  if (type !== "data-session" || typeof data !== "object" || data === null) return undefined;
  return "runId" in data && typeof data.runId === "string" ? data.runId : undefined;
}

function clientMessagesIn({ role, parts }: Message, at: number, isLast: boolean): ClientMessage[] {
  if (role === "system") return [];
  if (role === "user")
    return [{ role, parts: readUserParts(userContent(parts), `messages[${at}].parts`), at }];
  const answers: ClientAnswer[] = [];
  for (const one of parts) {
    if (runOf(one) !== undefined || answers.length === 0) answers.push(emptyAnswer());
    const answer = answers.at(-1);
    if (answer) addPart(answer, one);
  }
  const told = answers.filter(({ text, calls }) => text !== "" || calls.length > 0);
  return told.flatMap((answer, index) => toClientMessages(answer, at, isLast && index === told.length - 1));
}

function userContent(parts: readonly Part[]): object[] {
  return parts.flatMap((one): object[] => {
    if (one.type === "text") return [{ type: "text", text: one.text ?? "" }];
    return one.type === "file" ? [fileContent(one.url, one.mediaType, one.filename)] : [];
  });
}

function addPart(answer: ClientAnswer, one: Part): void {
  if (one.type === "text") answer.text += one.text ?? "";
  const name = one.type === "dynamic-tool" ? one.toolName : /^tool-(.+)$/.exec(one.type)?.[1];
  if (name === undefined || one.toolCallId === undefined) return;
  answer.calls.push({ id: one.toolCallId, name, arguments: toText(one.input ?? {}) });
  const result = resultIn(one);
  if (result) answer.results.set(one.toolCallId, result);
}

function resultIn({ state, output, errorText }: Part): ClientResult | undefined {
  switch (state) {
    case "output-available":
      return { output: toText(output), success: true };
    case "output-error":
      return { output: errorText ?? "The call failed.", success: false };
    case "output-denied":
      return { output: "The person did not allow this call.", success: false };
    default:
      return undefined;
  }
}

function textIn(parts: readonly Part[]): string {
  return parts.map(({ type, text }) => (type === "text" ? (text ?? "") : "")).join("");
}

function decisionsIn({ parts }: Message): ThreadDecision[] {
  return parts.flatMap(({ state, toolCallId, approval }) => {
    if (state !== "approval-responded" || toolCallId === undefined) return [];
    const read = parseJson(approval?.reason ?? "");
    const steps = isObject(read) && read.steps !== undefined && readSteps(read.steps);
    return [
      {
        callId: toolCallId,
        approved: approval?.approved === true,
        ...(approval?.reason ? { note: approval.reason } : {}),
        // The SDK has no other field for what the person left of a plan.
        ...(steps ? { steps } : {}),
      },
    ];
  });
}
