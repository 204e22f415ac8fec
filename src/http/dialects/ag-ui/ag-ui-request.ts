import { z } from "zod";
import { isObject } from "../../../protocol/json.ts";
import { readSteps } from "../../../protocol/plan.ts";
import { parseRequest } from "../../../protocol/requests.ts";
import type { TurnRequest } from "../../../protocol/turns.ts";
import { type ClientAnswer, emptyAnswer, toClientMessages } from "../front-ends/client-answer.ts";
import type { Thread, ThreadDecision } from "../front-ends/thread.ts";
import { clientTool, toolSpecsOf, turnOptions } from "../front-ends/turn-options.ts";
import { asOwnFailure, fileContent, readUserParts, toText } from "../front-ends/user-content.ts";
import type { ClientMessage, ClientResult } from "../openai/client-messages.ts";
import { readResultContent } from "../openai/content.ts";
import { readCallId, runIdOfItem } from "../openai/ids.ts";

const id = z.string().min(1).max(200);
const called = z.looseObject({ id, function: z.looseObject({ name: id, arguments: z.string() }) });
const message = z.looseObject({
  id: z.string().max(200).default(""),
  role: z.enum(["user", "assistant", "tool", "system", "developer", "reasoning", "activity"]),
  content: z.unknown().optional(),
  toolCalls: z.array(called).max(1_000).nullish(),
  toolCallId: id.optional(),
  error: z.string().nullish(),
});
const forwarded = z.looseObject({
  ...turnOptions,
  /** Names of the server's tools, to offer only these. */
  tools: z.array(id).max(200).optional(),
  onDisconnect: z.enum(["continue", "cancel"]).default("cancel"),
});

const runInput = z.looseObject({
  threadId: id,
  runId: id,
  /** Sent since version 1 of the protocol. */
  protocolVersion: z.string().max(50).nullish(),
  /** What the application and the agent share. Some applications send an empty object always. */
  state: z.unknown().optional(),
  messages: z.array(message).max(2_000),
  tools: z.array(clientTool).max(512).nullish(),
  context: z
    .array(z.looseObject({ description: z.string(), value: z.string() }))
    .max(200)
    .nullish(),
  forwardedProps: z.preprocess((value) => value ?? {}, forwarded),
  resume: z
    .array(
      z.looseObject({
        interruptId: id,
        status: z.enum(["resolved", "cancelled"]),
        payload: z.unknown().optional(),
      }),
    )
    .max(200)
    .nullish(),
});

type Message = z.output<typeof message>;

/** A request to run an agent, read and checked. */
export interface AgUiRequest {
  thread: Thread;
  runId: string;
  /** The application's state, unless it is empty. */
  state: object | undefined;
  /** True if the client knows only the events before version 1, and refuses fields that it does not know. */
  isOld: boolean;
  turn: TurnRequest;
  onDisconnect: "continue" | "cancel";
}

/** Reads the body of `POST /chat/ag-ui`. Throws INVALID_INPUT. */
export function readAgUiRequest(body: unknown): AgUiRequest {
  const { threadId, runId, messages, forwardedProps, ...given } = parseRequest(runInput, body);
  // Older clients send null for empty fields.
  const { tools, context, resume } = {
    tools: given.tools ?? [],
    context: given.context ?? [],
    resume: given.resume ?? [],
  };
  const { tools: names = [], onDisconnect, ...rest } = forwardedProps;
  const { model, toolChoice, modeHint, reasoningEffort, verbosity, attachments } = rest;
  const options = { model, toolChoice, modeHint, reasoningEffort, verbosity, attachments };
  const state = stateIn(given.state);
  return {
    thread: {
      protocol: "ag-ui",
      id: threadId,
      clientMessages: clientMessagesIn(messages),
      lastRunId: messages.map(runOf).findLast((run) => run !== undefined),
      decisions: resume.map(toDecision),
    },
    runId,
    state,
    isOld: !given.protocolVersion,
    turn: {
      ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
      ...toolSpecsOf([...names, ...tools]),
      instructions: [
        ...instructionsIn(messages),
        ...context.map(({ description, value }) => `${description}:\n${value}`),
        ...(state ? [`The application's state:\n${toText(state)}`] : []),
      ].join("\n\n"),
    },
    onDisconnect,
  };
}

function stateIn(state: unknown): object | undefined {
  const isGiven = typeof state === "object" && state !== null && Object.keys(state).length > 0;
  return isGiven ? state : undefined;
}

/** The run that wrote a message, from its ids. */
function runOf({ role, id, toolCalls }: Message): string | undefined {
  if (role !== "assistant") return undefined;
  return runIdOfItem(id) ?? readCallId(toolCalls?.[0]?.id ?? "")?.runId;
}

/** Joins the messages of one run into one answer. */
function clientMessagesIn(messages: readonly Message[]): ClientMessage[] {
  const clientMessages: ClientMessage[] = [];
  let open: { runId: string | undefined; answer: ClientAnswer } | undefined;
  const flush = (at: number, isLast: boolean) => {
    if (open) clientMessages.push(...toClientMessages(open.answer, at, isLast));
    open = undefined;
  };
  for (const [at, one] of messages.entries()) {
    if (one.role === "assistant") {
      const runId = runOf(one);
      if (!open || runId === undefined || open.runId !== runId) {
        flush(at, false);
        open = { runId, answer: emptyAnswer() };
      }
      addMessage(open.answer, one);
    } else if (one.role === "tool" && one.toolCallId !== undefined) {
      const result = resultOf(one, at);
      if (open) open.answer.results.set(one.toolCallId, result);
      else clientMessages.push({ role: "tool", callId: one.toolCallId, ...result, at });
    } else if (one.role === "user") {
      flush(at, false);
      clientMessages.push({
        role: "user",
        parts: readUserParts(userContent(one.content), `messages[${at}].content`),
        at,
      });
    }
  }
  flush(messages.length, true);
  return clientMessages;
}

/** An error stays an error. The text of one without content is the error itself. */
function resultOf({ content, error }: Message, at: number): ClientResult {
  const parts = Array.isArray(content) ? userContent(content) : content;
  const { output, images } = asOwnFailure(`messages[${at}].content`, (where) =>
    readResultContent(parts, where),
  );
  const text = content === undefined || content === null || output === "" ? (error ?? output) : output;
  return { output: text, success: !error, ...(images ? { images } : {}) };
}

function addMessage(answer: ClientAnswer, { content, toolCalls }: Message): void {
  answer.text += textOf(content);
  for (const { id, function: made } of toolCalls ?? [])
    answer.calls.push({ id, name: made.name, arguments: made.arguments });
}

function instructionsIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) =>
    role === "system" || role === "developer" ? [textOf(content)] : [],
  );
}

function textOf(content: unknown): string {
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content)) return toText(content);
  return content.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : "")).join("");
}

/** Converts to OpenAI's format. Images are in `source`; older clients send `binary`. */
function userContent(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) => {
    if (!isObject(part)) return part;
    if (part.type === "text") return part;
    const { type, value, mimeType } = isObject(part.source) ? part.source : bytesOf(part);
    if (value === undefined) return { type: String(part.type) };
    const address = type === "data" ? `data:${mimeType};base64,${value}` : value;
    return fileContent(address, mimeType ?? `${part.type}/*`, part.filename);
  });
}

/** Older clients send files as `binary`. */
function bytesOf({ mimeType, url, data }: Record<string, unknown>): Record<string, unknown> {
  return url === undefined ? { type: "data", value: data, mimeType } : { type: "url", value: url, mimeType };
}

/** Anything but an explicit approval is a denial. */
function toDecision({
  interruptId,
  status,
  payload,
}: {
  interruptId: string;
  status: string;
  payload?: unknown;
}): ThreadDecision {
  const { approved, note, steps, answer = payload } = isObject(payload) ? payload : { answer: payload };
  const given = z.union([z.string(), z.array(z.string())]).safeParse(answer);
  return {
    callId: interruptId,
    approved: status === "resolved" && approved === true,
    ...(status === "resolved" && given.success ? { answer: given.data } : {}),
    ...(typeof note === "string" ? { note: note.slice(0, 2_000) } : {}),
    ...(steps === undefined ? {} : { steps: readSteps(steps) }),
  };
}
