import type { Content, FunctionCallingConfigMode, FunctionDeclaration } from "@google/genai";
import { Failure } from "../../protocol/failure.ts";
import { isObject, type JsonObject, parseObject } from "../../protocol/json.ts";
import type { AssistantPart, PartMetadata } from "../../protocol/messages.ts";
import type {
  EmitModelEvent,
  ModelEvent,
  ModelFinishReason,
  ModelRequest,
  ToolSpec,
} from "../../protocol/model.ts";
import type {
  AnswerReader,
  Dialect,
  DialectContext,
  WireRequest,
  WireResponse,
} from "../../protocol/provider.ts";
import { jsonBody } from "./body.ts";
import { repairArguments } from "./call-arguments.ts";
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
import { fitRequest } from "./fit-request.ts";
import { collectArguments, type PartialArguments } from "./gemini/arguments.ts";
import { type Configuration, encodeConfiguration } from "./gemini/configuration.ts";
import { encodeTurns } from "./gemini/contents.ts";
import { COUNTS, readUsage } from "./gemini/usage.ts";
import { readHistory } from "./history.ts";
import { callIdsOf, mapToolNames, type ToolNames, takeCallId } from "./tools.ts";

/**
 * Gemini generateContent. `ModelInfo.reasoning` is `level` (low to high), `level-minimal` (with a level below low),
 * `budget` (tokens, down to none) or `budget-always` (tokens, for models that cannot stop thinking).
 */
export const gemini: Dialect = {
  id: "gemini",
  encode,
  reader: readAnswer,
  failure: (response, body, context) => refusal(readErrorBody(body), context, response, body),
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

function encode(given: ModelRequest, context: DialectContext): WireRequest {
  const { model } = context;
  const request = fitRequest(given, context);
  const names = mapGeminiNames(request.tools);
  const { system, turns } = readHistory(request, context, { alternating: true });
  const offered = model.supportsTools === false ? [] : request.tools;
  const generationConfig = encodeConfiguration(request, context);
  // What stays the same from step to step comes first, the conversation last.
  const body: Body = {
    ...(system.length > 0 && { systemInstruction: { parts: system.map((text) => ({ text })) } }),
    ...(offered.length > 0 && {
      tools: [{ functionDeclarations: offered.map((tool) => encodeTool(tool, names)) }],
      ...encodeToolChoice(request, names),
    }),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
    contents: encodeTurns(turns, context, names),
  };
  const name = model.name.includes("/") ? model.name : `models/${model.name}`;
  return { path: `/v1beta/${encodeURI(name)}:streamGenerateContent?alt=sse`, body: jsonBody(body, context) };
}

/** Gemini also refuses names that begin with a digit or a dash. */
function mapGeminiNames(tools: readonly ToolSpec[]): ToolNames {
  const lead = (name: string) => (/^[a-zA-Z_]/.test(name) ? name : `_${name}`);
  const nameByLead = new Map(tools.map((tool) => [lead(tool.name), tool.name]));
  const names = mapToolNames(tools.map((tool) => ({ ...tool, name: lead(tool.name) })));
  return {
    ...names,
    toWire: (name) => names.toWire(lead(name)),
    fromWire: (wire) => nameByLead.get(names.fromWire(wire)) ?? names.fromWire(wire),
  };
}

function encodeTool(tool: ToolSpec, names: ToolNames): FunctionDeclaration {
  return {
    name: names.toWire(tool.name),
    description: tool.description,
    // `parameters` takes only a few keywords of JSON Schema and refuses the whole request for any other.
    parametersJsonSchema: tool.parameters,
  };
}

function encodeToolChoice(request: ModelRequest, names: ToolNames): Pick<Body, "toolConfig"> {
  const choice = request.toolChoice ?? "auto";
  if (choice === "auto") return {};
  const mode = choice === "none" ? "NONE" : "ANY";
  const allowed = typeof choice !== "string" && { allowedFunctionNames: [names.toWire(choice.tool)] };
  return { toolConfig: { functionCallingConfig: { mode, ...allowed } } };
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
  /** The call whose arguments are still arriving. */
  let open: CallPiece | undefined;

  function addText(type: "text" | "reasoning", text: string, signature: string | undefined): void {
    const last = answer.pieces.at(-1);
    // A signature belongs to the part that it came with, so signed parts are not joined.
    if (last?.type === type && last.signature === undefined && signature === undefined) last.text += text;
    else if (text !== "" || signature !== undefined) answer.pieces.push({ type, text, signature });
    if (text !== "") emit({ type: `${type}_delta`, text });
  }

  function addCall(raw: Record<string, unknown>, signature: string | undefined): void {
    const id = typeof raw.id === "string" && raw.id !== "" ? raw.id : undefined;
    const name = typeof raw.name === "string" ? raw.name : "";
    let piece = open && (name === "" || (id !== undefined && id === open.id)) ? open : undefined;
    if (!piece) {
      if (name === "") return;
      piece = { type: "call", id, name, arguments: collectArguments() };
      answer.pieces.push(piece);
    }
    const args = typeof raw.args === "string" ? parseObject(repairArguments(raw.args)) : raw.args;
    if (isObject(args)) piece.arguments.assign(args);
    if (Array.isArray(raw.partialArgs)) raw.partialArgs.forEach(piece.arguments.add);
    piece.signature ??= signature;
    open = raw.willContinue === true ? piece : undefined;
  }

  /** Images that the model only thinks with are dropped. */
  function addImage(part: Record<string, unknown>, signature: string | undefined): void {
    const file = isObject(part.inlineData) ? part.inlineData : isObject(part.fileData) ? part.fileData : {};
    const mimeType = typeof file.mimeType === "string" ? file.mimeType : "image/png";
    if (part.thought === true) return;
    if (typeof file.data === "string")
      answer.pieces.push({ type: "image", mimeType, data: file.data, signature });
    else if (typeof file.fileUri === "string")
      answer.pieces.push({ type: "image", mimeType, url: file.fileUri, signature });
  }

  /** Code that the vendor ran, and parts of its other own tools, are dropped. */
  function addPart(part: unknown): void {
    if (!isObject(part)) return;
    const signature = typeof part.thoughtSignature === "string" ? part.thoughtSignature : undefined;
    if (isObject(part.functionCall)) addCall(part.functionCall, signature);
    else if (typeof part.text === "string")
      addText(part.thought === true ? "reasoning" : "text", part.text, signature);
    else if (isObject(part.inlineData) || isObject(part.fileData)) addImage(part, signature);
    else if (Object.keys(part).every((key) => key === "thoughtSignature" || key === "thought"))
      addText("text", "", signature);
  }

  function addUsage(usage: unknown): void {
    if (!isObject(usage)) return;
    let changed = false;
    for (const key of COUNTS) {
      const value = usage[key];
      // Every frame has the totals so far. A count that is left out keeps its value.
      if (typeof value !== "number" || counts[key] === value) continue;
      counts[key] = value;
      changed = true;
    }
    if (changed) emit({ type: "usage", usage: readUsage(counts) });
  }

  function readResponse(response: unknown): void {
    if (!isObject(response)) throw unreadable(context);
    if (response.error) {
      const error = readVendorError(response) ?? {};
      throw refusal(error, context, { status: 200, headers: {} }, JSON.stringify(response));
    }
    const feedback = response.promptFeedback;
    if (isObject(feedback) && typeof feedback.blockReason === "string") {
      answer.blockReason = feedback.blockReason;
    }
    const candidate = firstCandidate(response.candidates);
    if (candidate) {
      const parts = isObject(candidate.content) ? candidate.content.parts : undefined;
      if (Array.isArray(parts)) parts.forEach(addPart);
      if (typeof candidate.finishReason === "string") answer.finishReason = candidate.finishReason;
    }
    addUsage(response.usageMetadata);
  }

  /** Without `alt=sse`, or if a proxy drops it, the vendor streams one JSON array. */
  function readBody(body: unknown): void {
    for (const response of Array.isArray(body) ? body : [body]) readResponse(response);
  }

  return {
    frame: readBody,
    whole: readBody,
    end: () => emit(finish(answer, context, request)),
    isWhole: () => answer.finishReason !== undefined,
    soFar: () =>
      partsOf(
        answer.pieces.filter((piece) => piece !== open),
        request,
      ),
  };
}

function firstCandidate(candidates: unknown): Record<string, unknown> | undefined {
  if (!Array.isArray(candidates)) return undefined;
  return candidates.filter(isObject).find((one) => Number(one.index ?? 0) === 0);
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
/** The model wrote a tool call that the vendor could not read. */
const BAD_CALLS = ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"];

function finish(answer: Answer, context: DialectContext, request: ModelRequest): ModelEvent {
  const { pieces, finishReason, blockReason } = answer;
  if (finishReason === undefined && blockReason !== undefined) {
    return { type: "finish", reason: "content_filter", rawReason: blockReason, parts: [] };
  }
  if (finishReason === undefined) throw cutOff(context);
  const called = pieces.some((piece) => piece.type === "call");
  if (!called && BAD_CALLS.includes(finishReason)) throw badCall(context);
  const reason = REASONS.get(finishReason) ?? (called ? "tool_calls" : "stop");
  const said = pieces.some((piece) => piece.type === "image" || (piece.type === "text" && piece.text !== ""));
  if (reason === "stop" && !said) throw emptyAnswer(context);
  return { type: "finish", reason, rawReason: finishReason, parts: partsOf(pieces, request) };
}

function partsOf(pieces: readonly Piece[], request: ModelRequest): AssistantPart[] {
  const names = mapGeminiNames(request.tools);
  const usedIds = callIdsOf(request.messages);
  return pieces.map((piece) => readPiece(piece, names, usedIds));
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
  // A wrong key is reported as a bad request.
  if (/API_KEY_INVALID|API key (not valid|expired)/i.test(body)) {
    return vendorFailure({ ...error, status: 401 }, context, { ...response, status: 401 }, body);
  }
  // A limit per minute is worded like a spent quota. Only the retry delay tells them apart. A limit of 0 never passes.
  if (/"retryDelay"/.test(body) && !/PerDay|limit: 0\b/.test(body)) {
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
