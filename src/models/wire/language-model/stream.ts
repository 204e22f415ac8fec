import { isObject, type JsonObject } from "../../../protocol/json.ts";
import type { AssistantPart, ReasoningPart, TextPart, ToolCallPart } from "../../../protocol/messages.ts";
import type { EmitModelEvent, ModelFinishReason, Usage } from "../../../protocol/model.ts";
import type { DialectContext } from "../../../protocol/provider.ts";
import { cutOff } from "../failures.ts";
import { mintCallId, type ToolNames } from "../tools.ts";
import { languageModelFailure } from "./failure.ts";

/** Reads the parts of an AI SDK stream, of any specification. */
export interface StreamReader {
  /** Returns true after the last part. The rest need not be read. */
  part(part: unknown): boolean;
  /** The stream ended without its last part. */
  end(): void;
}

interface StreamedInput {
  id: string;
  name: unknown;
  text: string;
  ended: boolean;
}

/** Opens the reading of one answer. */
export function readStream(emit: EmitModelEvent, context: DialectContext, names: ToolNames): StreamReader {
  const parts: AssistantPart[] = [];
  const open = new Map<string, TextPart | ReasoningPart>();
  const inputs = new Map<string, StreamedInput>();
  let reasoned = false;

  function block(type: "text" | "reasoning", part: Record<string, unknown>): TextPart | ReasoningPart {
    const key = `${type} ${part.id}`;
    const found = open.get(key);
    if (found) return found;
    const added: TextPart | ReasoningPart = { type, text: "" };
    open.set(key, added);
    parts.push(added);
    return added;
  }

  function readBlock(type: "text" | "reasoning", step: string, part: Record<string, unknown>): void {
    const target = block(type, part);
    keepMetadata(target, part.providerMetadata);
    // Ids may be used again by a later block.
    if (step === "end") open.delete(`${type} ${part.id}`);
    if (step !== "delta" || typeof part.delta !== "string" || part.delta === "") return;
    const begins = target.text === "";
    target.text += part.delta;
    if (type === "text") {
      emit({ type: "text_delta", text: part.delta });
    } else {
      // Each block of reasoning is its own paragraph.
      emit({ type: "reasoning_delta", text: begins && reasoned ? `\n\n${part.delta}` : part.delta });
      reasoned = true;
    }
  }

  function readInput(step: string, part: Record<string, unknown>): void {
    const id = String(part.id);
    // A tool that ran at the vendor is not our call.
    if (step === "start" && part.providerExecuted !== true) {
      inputs.set(id, { id, name: part.toolName, text: "", ended: false });
    }
    const input = inputs.get(id);
    if (input && step === "delta" && typeof part.delta === "string") input.text += part.delta;
    if (input && step === "end") input.ended = true;
  }

  function addCall(id: unknown, name: unknown, input: unknown, providerMetadata?: unknown): void {
    if (typeof name !== "string" || name === "") return;
    const text = typeof input === "string" ? input : JSON.stringify(input ?? {});
    const call: ToolCallPart = {
      type: "tool_call",
      id: mintCallId(),
      name: names.fromWire(name),
      arguments: text.trim() || "{}",
    };
    if (typeof id === "string") call.metadata = { callId: id };
    keepMetadata(call, providerMetadata);
    parts.push(call);
  }

  function finish(part: Record<string, unknown>): void {
    const { reason, raw } = readReason(part.finishReason);
    const usage = readUsage(part.usage);
    if (usage) emit({ type: "usage", usage });
    if (reason === "error" || reason === "interrupted") {
      emit({ type: "failure", failure: cutOff(context, raw) });
      return;
    }
    for (const input of inputs.values()) if (input.ended) addCall(input.id, input.name, input.text);
    const said = parts.filter((one) => !isEmpty(one));
    const called = said.some((one) => one.type === "tool_call");
    emit({
      type: "finish",
      reason: finishReason(reason, called),
      rawReason: raw ?? reason,
      parts: said,
    });
  }

  return {
    part(part) {
      if (!isObject(part) || typeof part.type !== "string") return false;
      const streamed = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(part.type);
      const step = streamed?.[2] ?? "";
      if (streamed?.[1] === "tool-input") readInput(step, part);
      else if (streamed) readBlock(streamed[1] === "text" ? "text" : "reasoning", step, part);
      else if (part.type === "tool-call") {
        inputs.delete(String(part.toolCallId));
        if (part.providerExecuted !== true) {
          addCall(part.toolCallId, part.toolName, part.input, part.providerMetadata);
        }
      } else if (part.type === "file") parts.push(...readImage(part));
      else if (part.type === "error") {
        emit({ type: "failure", failure: languageModelFailure(part.error, context) });
      } else if (part.type === "finish") finish(part);
      return part.type === "error" || part.type === "finish";
    },
    end: () => emit({ type: "failure", failure: cutOff(context) }),
  };
}

function keepMetadata(part: AssistantPart, providerMetadata: unknown): void {
  if (isObject(providerMetadata)) {
    part.metadata = { ...part.metadata, providerMetadata: providerMetadata as JsonObject };
  }
}

function isEmpty(part: AssistantPart): boolean {
  return (part.type === "text" || part.type === "reasoning") && part.text === "" && !part.metadata;
}

/** Reads an image of an answer. Other files have no place in a message. */
function readImage(part: Record<string, unknown>): AssistantPart[] {
  const { mediaType, data } = part;
  if (typeof mediaType !== "string" || !mediaType.startsWith("image/")) return [];
  const bytes = isObject(data) && !(data instanceof Uint8Array) ? (data.data ?? data.url) : data;
  const image: AssistantPart = { type: "image", mimeType: mediaType };
  if (bytes instanceof Uint8Array) image.data = Buffer.from(bytes).toString("base64");
  else if (bytes instanceof URL || (typeof bytes === "string" && /^https?:/.test(bytes)))
    image.url = String(bytes);
  else if (typeof bytes === "string") image.data = bytes;
  else return [];
  keepMetadata(image, part.providerMetadata);
  return [image];
}

function finishReason(reason: string, called: boolean): ModelFinishReason {
  if (reason === "length") return "length";
  if (reason === "content-filter") return "content_filter";
  return called ? "tool_calls" : "stop";
}

/** v2 has one reason; v3 and v4 also have the vendor's own. */
function readReason(finishReason: unknown): { reason: string; raw: string | undefined } {
  if (!isObject(finishReason)) return { reason: String(finishReason), raw: undefined };
  const { unified, raw } = finishReason;
  return { reason: String(unified), raw: typeof raw === "string" ? raw : undefined };
}

/** v2 counts in flat fields; v3 and v4 count by kind. */
function readUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const input = isObject(usage.inputTokens) ? usage.inputTokens : {};
  const output = isObject(usage.outputTokens) ? usage.outputTokens : {};
  const count = (...values: unknown[]) => values.find((value) => typeof value === "number");
  const inputTokens = count(usage.inputTokens, input.total);
  const outputTokens = count(usage.outputTokens, output.total);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    reasoningTokens: count(usage.reasoningTokens, output.reasoning),
    cachedTokens: count(usage.cachedInputTokens, input.cacheRead),
  };
}
