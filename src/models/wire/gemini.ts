import type { Content, FunctionCallingConfigMode, FunctionDeclaration } from "@google/genai";
import { Failure } from "../../protocol/failure.ts";
import { isObject, type JsonObject } from "../../protocol/json.ts";
import type { AssistantPart, PartMetadata } from "../../protocol/messages.ts";
import type {
  AnswerReader,
  Dialect,
  DialectContext,
  EmitModelEvent,
  ModelEvent,
  ModelFinishReason,
  ModelRequest,
  ToolSpec,
  WireRequest,
  WireResponse,
} from "../../protocol/model.ts";
import { callIdsOf, takeCallId } from "./call-ids.ts";
import {
  cutOff,
  emptyAnswer,
  readErrorBody,
  readVendorError,
  unreadable,
  type VendorError,
  vendorFailure,
  vendorOf,
} from "./failures.ts";
import { collectArguments, type PartialArguments } from "./gemini/arguments.ts";
import { type Configuration, lowerConfiguration, lowerSchema } from "./gemini/configuration.ts";
import { lowerTurns } from "./gemini/contents.ts";
import { COUNTS, readUsage } from "./gemini/usage.ts";
import { readHistory } from "./history.ts";
import { mapToolNames, type ToolNames } from "./names.ts";

/**
 * Gemini generateContent. `ModelInfo.reasoning` is `level` (low to high), `level-minimal` (with a level below low),
 * `budget` (tokens, none at all where asked) or `budget-always` (tokens, for models that cannot stop thinking).
 */
export const gemini: Dialect = {
  id: "gemini",
  encode,
  reader: readAnswer,
  failure: (response, body, context) => refusal(readErrorBody(body), context, response, body),
  fallback: (_failure, { status }, body, request, context) => askOtherwise(status, body, request, context),
};

// Request down

interface Body {
  systemInstruction?: Content;
  tools?: { functionDeclarations: FunctionDeclaration[] }[];
  toolConfig?: {
    functionCallingConfig: { mode: `${FunctionCallingConfigMode}`; allowedFunctionNames?: string[] };
  };
  generationConfig?: Configuration;
  contents: Content[];
}

function encode(request: ModelRequest, context: DialectContext): WireRequest {
  const { model } = context;
  const names = mapGeminiNames(request.tools);
  const history = readHistory(request.messages, context.modelId);
  const offered = model.supportsTools === false ? [] : request.tools;
  const system = [request.system ?? "", ...history.system].filter((text) => text.trim() !== "");
  const generationConfig = lowerConfiguration(request, context, offered.length > 0);
  // What stays the same from step to step comes first, the conversation last.
  const body: Body = {
    ...(system.length > 0 && { systemInstruction: { parts: system.map((text) => ({ text })) } }),
    ...(offered.length > 0 && {
      tools: [{ functionDeclarations: offered.map((tool) => lowerTool(tool, names)) }],
      ...lowerToolChoice(request, names),
    }),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
    contents: lowerTurns(history.turns, context, names),
  };
  const name = model.name.includes("/") ? model.name : `models/${model.name}`;
  return {
    path: `/v1beta/${encodeURI(name)}:streamGenerateContent?alt=sse`,
    body: body as unknown as JsonObject,
  };
}

/** Besides the usual rules a name must not begin with a digit or a dash. */
function mapGeminiNames(tools: readonly ToolSpec[]): ToolNames {
  const lead = (name: string) => (/^[a-zA-Z_]/.test(name) ? name : `_${name}`);
  const nameByLead = new Map(tools.map((tool) => [lead(tool.name), tool.name]));
  const names = mapToolNames(tools.map((tool) => ({ ...tool, name: lead(tool.name) })));
  return {
    toWire: (name) => names.toWire(lead(name)),
    fromWire: (wire) => nameByLead.get(names.fromWire(wire)) ?? names.fromWire(wire),
  };
}

function lowerTool(tool: ToolSpec, names: ToolNames): FunctionDeclaration {
  return {
    name: names.toWire(tool.name),
    description: tool.description,
    // `parameters` would take only a few keywords of JSON Schema and refuse the whole request for any other.
    parametersJsonSchema: lowerSchema(tool.parameters),
  };
}

function lowerToolChoice(request: ModelRequest, names: ToolNames): Pick<Body, "toolConfig"> {
  const choice = request.toolChoice ?? "auto";
  if (choice === "auto") return {};
  if (choice === "none") return { toolConfig: { functionCallingConfig: { mode: "NONE" } } };
  if (choice === "required") return { toolConfig: { functionCallingConfig: { mode: "ANY" } } };
  const allowedFunctionNames = [names.toWire(choice.tool)];
  return { toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames } } };
}

// Frames up

type Piece = { signature?: string } & (
  | { type: "text" | "reasoning"; text: string }
  | { type: "image"; mimeType: string; data?: string; url?: string }
  | { type: "call"; id?: string; name: string; arguments: PartialArguments }
);
type CallPiece = Extract<Piece, { type: "call" }>;

interface Answer {
  pieces: Piece[];
  finishReason?: string;
  blockReason?: string;
}

function readAnswer(emit: EmitModelEvent, context: DialectContext, request: ModelRequest): AnswerReader {
  const answer: Answer = { pieces: [] };
  const counts: Record<string, number> = {};
  /** The call whose arguments are still coming. */
  let open: CallPiece | undefined;
  let over = false;

  function settle(event: ModelEvent): void {
    if (!over) emit(event);
    over = true;
  }

  function say(type: "text" | "reasoning", text: string, signature: string | undefined): void {
    const last = answer.pieces.at(-1);
    // A signature belongs to the very part that it came with: signed parts stay apart.
    if (last?.type === type && last.signature === undefined && signature === undefined) last.text += text;
    else if (text !== "" || signature !== undefined) answer.pieces.push({ type, text, signature });
    if (text !== "") emit({ type: `${type}_delta`, text });
  }

  function call(raw: Record<string, unknown>, signature: string | undefined): void {
    const id = typeof raw.id === "string" && raw.id !== "" ? raw.id : undefined;
    const name = typeof raw.name === "string" ? raw.name : "";
    let piece = open && (name === "" || (id !== undefined && id === open.id)) ? open : undefined;
    if (!piece) {
      if (name === "") return;
      piece = { type: "call", id, name, arguments: collectArguments() };
      answer.pieces.push(piece);
    }
    if (isObject(raw.args)) piece.arguments.assign(raw.args);
    if (Array.isArray(raw.partialArgs)) raw.partialArgs.forEach(piece.arguments.add);
    piece.signature ??= signature;
    open = raw.willContinue === true ? piece : undefined;
  }

  /** Code that the vendor ran and its other own tools are not ours to keep. */
  function takePart(part: unknown): void {
    if (!isObject(part)) return;
    const signature = typeof part.thoughtSignature === "string" ? part.thoughtSignature : undefined;
    const { inlineData } = part;
    if (isObject(part.functionCall)) call(part.functionCall, signature);
    else if (typeof part.text === "string") {
      say(part.thought === true ? "reasoning" : "text", part.text, signature);
    } else if (isObject(inlineData)) {
      // Drafts that the model thinks with are not its answer.
      if (part.thought === true || typeof inlineData.data !== "string") return;
      const mimeType = typeof inlineData.mimeType === "string" ? inlineData.mimeType : "image/png";
      answer.pieces.push({ type: "image", mimeType, data: inlineData.data, signature });
    } else if (isObject(part.fileData)) {
      const { fileUri, mimeType } = part.fileData;
      if (part.thought === true || typeof fileUri !== "string") return;
      const type = typeof mimeType === "string" ? mimeType : "image/png";
      answer.pieces.push({ type: "image", mimeType: type, url: fileUri, signature });
    } else if (Object.keys(part).every((key) => key === "thoughtSignature" || key === "thought")) {
      say("text", "", signature);
    }
  }

  function count(usage: unknown): void {
    if (!isObject(usage)) return;
    let changed = false;
    for (const key of COUNTS) {
      const value = usage[key];
      // Totals so far, in every frame: what is new replaces what was, what is left out stays.
      if (typeof value !== "number" || counts[key] === value) continue;
      counts[key] = value;
      changed = true;
    }
    if (changed) emit({ type: "usage", usage: readUsage(counts) });
  }

  function take(response: unknown): void {
    if (!isObject(response) || response.error) {
      fail(isObject(response) ? vendorError(response) : unreadable(context));
      return;
    }
    const feedback = response.promptFeedback;
    if (isObject(feedback) && typeof feedback.blockReason === "string") {
      answer.blockReason = feedback.blockReason;
    }
    const candidate = firstCandidate(response.candidates);
    if (candidate) {
      const parts = isObject(candidate.content) ? candidate.content.parts : undefined;
      if (Array.isArray(parts)) parts.forEach(takePart);
      if (typeof candidate.finishReason === "string") answer.finishReason = candidate.finishReason;
    }
    count(response.usageMetadata);
  }

  function vendorError(response: Record<string, unknown>): Failure {
    const error = readVendorError(response) ?? {};
    return refusal(error, context, { status: 200, headers: {} }, JSON.stringify(response));
  }

  function fail(failure: Failure): void {
    settle({ type: "failure", failure });
  }

  /** The vendor streams one JSON array where it is not asked, or does not heed the wish, for events. */
  function takeAll(body: unknown): void {
    for (const response of Array.isArray(body) ? body : [body]) if (!over) take(response);
  }

  return {
    frame(data) {
      if (data === "[DONE]") return;
      const body = parse(data);
      if (body === undefined) fail(unreadable(context));
      else takeAll(body);
    },
    whole: takeAll,
    end() {
      settle(conclude(answer, context, request));
    },
  };
}

function firstCandidate(candidates: unknown): Record<string, unknown> | undefined {
  if (!Array.isArray(candidates)) return undefined;
  for (const one of candidates) if (isObject(one) && (one.index ?? 0) === 0) return one;
  return undefined;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    // Not JSON: the caller makes it a failure.
    return undefined;
  }
}

// Finish

const REASONS: ReadonlyMap<string, ModelFinishReason> = new Map([
  ["MAX_TOKENS", "length"],
  ["CONTINUATION", "length"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["LANGUAGE", "content_filter"],
  ["PROHIBITED_CONTENT", "content_filter"],
  ["BLOCKLIST", "content_filter"],
  ["SPII", "content_filter"],
  ["IMAGE_SAFETY", "content_filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content_filter"],
  ["IMAGE_RECITATION", "content_filter"],
]);
/** The model tried to call a tool and got it wrong. */
const BAD_CALLS = ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"];

function conclude(answer: Answer, context: DialectContext, request: ModelRequest): ModelEvent {
  const { pieces, finishReason, blockReason } = answer;
  if (finishReason === undefined && blockReason !== undefined) {
    return { type: "finish", reason: "content_filter", rawReason: blockReason, parts: [] };
  }
  if (finishReason === undefined) return { type: "failure", failure: cutOff(context) };
  const called = pieces.some((piece) => piece.type === "call");
  if (!called && BAD_CALLS.includes(finishReason)) return { type: "failure", failure: badCall(context) };
  const reason = REASONS.get(finishReason) ?? (called ? "tool_calls" : "stop");
  const said = pieces.some((piece) => piece.type === "image" || (piece.type === "text" && piece.text !== ""));
  if (reason === "stop" && !said) return { type: "failure", failure: emptyAnswer(context) };
  const names = mapGeminiNames(request.tools);
  const usedIds = callIdsOf(request.messages);
  const parts = pieces.map((piece) => readPiece(piece, names, usedIds));
  return { type: "finish", reason, rawReason: finishReason, parts };
}

function readPiece(piece: Piece, names: ToolNames, usedIds: Set<string>): AssistantPart {
  const metadata = metadataOf(piece);
  const kept = Object.keys(metadata).length > 0 ? { metadata } : {};
  if (piece.type === "image") {
    const { mimeType, data, url } = piece;
    return { type: "image", mimeType, ...(data === undefined ? { url } : { data }), ...kept };
  }
  if (piece.type !== "call") return { type: piece.type, text: piece.text, ...kept };
  const id = takeCallId(piece.id, usedIds);
  const name = names.fromWire(piece.name);
  return { type: "tool_call", id, name, arguments: piece.arguments.toJson(), ...kept };
}

function metadataOf(piece: Piece): PartMetadata {
  const metadata: JsonObject = {};
  if (piece.type === "call" && piece.id !== undefined) metadata.id = piece.id;
  if (piece.signature !== undefined) metadata.thoughtSignature = piece.signature;
  return metadata;
}

// Errors

function refusal(error: VendorError, context: DialectContext, response: WireResponse, body: string): Failure {
  // A wrong key comes as a bad request.
  if (/API_KEY_INVALID|API key (not valid|expired)/i.test(body)) {
    return vendorFailure({ ...error, status: 401 }, context, { ...response, status: 401 }, body);
  }
  // A limit per minute comes in the words of a quota that is spent; what sets it apart is when to try again.
  if (/"retryDelay"/.test(body) && !/PerDay/.test(body)) {
    return vendorFailure({ ...error, message: undefined }, context, response, body);
  }
  return vendorFailure(error, context, response, body);
}

function badCall(context: DialectContext): Failure {
  return new Failure(
    "UPSTREAM_ERROR",
    `The model of ${vendorOf(context)} wrote a tool call that cannot be read. Trying again may help.`,
    { retryable: true },
  );
}

/** The vendor refused how the model was to think, or signatures of before: ask without. */
function askOtherwise(
  status: number,
  body: string,
  request: ModelRequest,
  context: DialectContext,
): WireRequest | undefined {
  const said = status === 400 ? (readErrorBody(body).message ?? "") : "";
  const { model } = context;
  if (/signature/i.test(said)) {
    const { reasoningEffort: _effort, ...plain } = request;
    // To a model of no name nothing in the history is its own; one that wants signatures is of the kind with levels.
    return encode(plain, {
      ...context,
      modelId: "",
      model: { ...model, reasoning: model.reasoning ?? "level" },
    });
  }
  if (!/thinking|thoughts/i.test(said) || model.reasoning === undefined) return undefined;
  return encode(request, { ...context, model: { ...model, reasoning: undefined } });
}
