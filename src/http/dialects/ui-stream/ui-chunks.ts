import type { ChatEvent, EventOf, FinishReason } from "../../../protocol/events.ts";
import { ignoreUnknown, isDetail } from "../../../protocol/unknown.ts";
import type { FrontEndEncoder } from "../front-ends/pausing-stream.ts";
import { RunCalls } from "../openai/calls.ts";
import { itemId } from "../openai/ids.ts";

/** A chunk of the AI SDK's UI message stream, version 1. */
export type UiChunk = { type: string } & Record<string, unknown>;

export interface UiChunkOptions {
  clientTools: readonly string[];
  /** The client's message that the answer continues. */
  messageId?: string;
  /** The origin of our URLs. The client's page may be on another site. */
  origin: string;
}

const FINISH_REASONS: Record<FinishReason, string> = {
  stop: "stop",
  length: "length",
  content_filter: "content-filter",
  client_tools: "tool-calls",
  error: "error",
  tool_limit: "other",
  iteration_limit: "other",
  cancelled: "other",
};

/** A run as chunks of a UI message stream. */
export class UiChunks implements FrontEndEncoder {
  readonly #calls: RunCalls;
  /** Server calls that are not shown yet. A queued one would look like a call for the client. */
  readonly #unshown = new Map<string, UiChunk>();
  readonly #asked = new Set<string>();
  /** The newest question of each call, as the client was told it. */
  readonly #questions = new Map<string, { number: number }>();
  readonly #origin: string;
  #messageId: string | undefined;
  #runId = "";
  #parts = 0;
  #open: { kind: "text" | "reasoning"; id: string } | undefined;
  #step: "none" | "open" | "answered" = "none";
  #reasoned = false;

  constructor({ clientTools, messageId, origin }: UiChunkOptions) {
    this.#origin = origin;
    this.#calls = new RunCalls(clientTools.map((name) => ({ name })));
    this.#messageId = messageId;
  }

  take(event: ChatEvent): UiChunk[] {
    switch (event.type) {
      case "session":
        return this.#begin(event);
      case "content_delta":
        return this.#say("text", event.choices[0].delta.content);
      case "reasoning_delta":
        this.#reasoned = true;
        return this.#say("reasoning", event.choices[0].delta.reasoning_content);
      case "reasoning_complete":
        return this.#endReasoning(event);
      case "tool_call_start":
        return this.#call(event);
      case "tool_approval_required":
        return this.#ask(event);
      case "question_required":
        return this.#question(event, { number: (this.#questions.get(event.toolCallId)?.number ?? 0) + 1 });
      case "question_answered":
        return this.#question(event, this.#questions.get(event.toolCallId));
      case "tool_executing":
        return [...this.#show(event.toolCallId), ...this.#answer(event.toolCallId, true)];
      case "tool_result":
        return this.#result(event);
      case "web_search":
        return event.data.sources.map(({ url, title }, index) => {
          return {
            type: "source-url",
            sourceId: `${this.#calls.idOf(event.toolCallId)}_${index}`,
            url,
            title,
          };
        });
      case "image_complete":
        return imageOf(event, this.#origin);
      case "error":
        return [...this.#close(), { type: "error", errorText: event.error }];
      case "done":
        return this.#finish(event);
      case "usage":
        return [this.#data(event, { type: "data-usage", id: `usage_${this.#runId}` })];
      case "artifact_complete":
        return [this.#data(event, { type: "data-artifact", id: `${event.artifactId}_${event.version}` })];
      case "warning":
        return [this.#data(event, { type: "data-warning" })];
      default:
        return isDetail(event)
          ? [this.#data(event, { type: `data-${event.type.replaceAll("_", "-")}`, transient: true })]
          : ignoreUnknown(event, []);
    }
  }

  pause(): UiChunk[] {
    return [...this.#endStep(), { type: "finish", finishReason: "tool-calls" }];
  }

  resume(): UiChunk[] {
    return [{ type: "start", messageId: this.#messageId }];
  }

  #begin(event: EventOf<"session">): UiChunk[] {
    const { type: _, ...session } = event;
    this.#calls.begin(event);
    this.#runId = event.runId;
    this.#messageId ??= event.messageId;
    return [
      { type: "start", messageId: this.#messageId },
      { type: "data-session", id: event.runId, data: session },
    ];
  }

  /** Opens a step when the model writes. After results a new one starts. */
  #enterStep(): UiChunk[] {
    if (this.#step === "open") return [];
    const before = this.#step === "answered" ? this.#endStep() : [];
    this.#step = "open";
    return [...before, { type: "start-step" }];
  }

  #endStep(): UiChunk[] {
    const closed = this.#close();
    if (this.#step === "none") return closed;
    this.#step = "none";
    return [...closed, { type: "finish-step" }];
  }

  #say(kind: "text" | "reasoning", delta: string): UiChunk[] {
    const chunks = this.#enterStep();
    if (this.#open?.kind !== kind) {
      chunks.push(...this.#close());
      this.#open = { kind, id: itemId(kind === "text" ? "msg" : "rs", this.#runId, this.#parts++) };
      chunks.push({ type: `${kind}-start`, id: this.#open.id });
    }
    return [...chunks, { type: `${kind}-delta`, id: this.#open.id, delta }];
  }

  #close(): UiChunk[] {
    if (!this.#open) return [];
    const { kind, id } = this.#open;
    this.#open = undefined;
    return [{ type: `${kind}-end`, id }];
  }

  /** Some vendors send the reasoning only at its end. */
  #endReasoning({ reasoning }: EventOf<"reasoning_complete">): UiChunk[] {
    const told = this.#reasoned || reasoning === "" ? [] : this.#say("reasoning", reasoning);
    this.#reasoned = false;
    return this.#open?.kind === "reasoning" ? [...told, ...this.#close()] : told;
  }

  #call(event: EventOf<"tool_call_start">): UiChunk[] {
    const { toolCallId, toolName, arguments: input } = event;
    const chunks = [...this.#enterStep(), ...this.#close()];
    const { id } = this.#calls.number(event);
    const shown = { type: "tool-input-available", toolCallId: id, toolName, input };
    if (this.#calls.isClientTool(toolName)) return [...chunks, shown];
    this.#unshown.set(toolCallId, { ...shown, dynamic: true, providerExecuted: true });
    return chunks;
  }

  #show(toolCallId: string): UiChunk[] {
    const shown = this.#unshown.get(toolCallId);
    this.#unshown.delete(toolCallId);
    return shown ? [shown] : [];
  }

  /** The user's decision, even if it came from another client. */
  #answer(toolCallId: string, approved: boolean): UiChunk[] {
    if (!this.#asked.delete(toolCallId)) return [];
    const approvalId = this.#calls.idOf(toolCallId);
    return [{ type: "tool-approval-response", approvalId, approved, providerExecuted: true }];
  }

  #ask({ toolCallId, reason, risk, preview, plan, expiresAt }: EventOf<"tool_approval_required">): UiChunk[] {
    this.#asked.add(toolCallId);
    const id = this.#calls.idOf(toolCallId);
    const shown = { ...(preview === undefined ? {} : { preview }), ...(plan ? { plan } : {}) };
    const approvalDescriptor = { risk, expiresAt, ...shown };
    return [
      ...this.#show(toolCallId),
      { type: "tool-approval-request", approvalId: id, toolCallId: id, reason, approvalDescriptor },
    ];
  }

  /** A part that is kept in the message. The answer replaces it: both have the same id. */
  #question(
    { type: _, ...facts }: EventOf<"question_required" | "question_answered">,
    before = { number: 1 },
  ): UiChunk[] {
    const question = { ...before, ...facts };
    this.#questions.set(facts.toolCallId, question);
    const id = this.#calls.idOf(facts.toolCallId);
    const { number, ...data } = { ...question, toolCallId: id, runId: this.#runId };
    const chunk = { type: "data-question", id: `question_${id}_${number}`, data };
    return [...this.#show(facts.toolCallId), chunk];
  }

  #result({ toolCallId, toolName, success, output, error }: EventOf<"tool_result">): UiChunk[] {
    const denied = error?.code === "TOOL_DENIED" && this.#asked.has(toolCallId);
    const before = [...this.#show(toolCallId), ...this.#answer(toolCallId, !denied)];
    const id = this.#calls.idOf(toolCallId);
    const own = this.#calls.isClientTool(toolName) ? {} : { dynamic: true, providerExecuted: true };
    if (this.#step === "open") this.#step = "answered";
    if (denied) return [...before, { type: "tool-output-denied", toolCallId: id }];
    if (success) return [...before, { type: "tool-output-available", toolCallId: id, output, ...own }];
    const errorText = error?.message ?? output;
    return [...before, { type: "tool-output-error", toolCallId: id, errorText, ...own }];
  }

  /** Encodes events that the protocol has no chunk for. Transient ones are not kept in the message. */
  #data({ type: _, ...facts }: ChatEvent, chunk: UiChunk): UiChunk {
    const known = "toolCallId" in facts ? { toolCallId: this.#calls.idOf(facts.toolCallId) } : {};
    return { ...chunk, data: { ...facts, ...known } };
  }

  #finish({ finishReason }: EventOf<"done">): UiChunk[] {
    const closed = this.#endStep();
    if (finishReason === "cancelled") return [...closed, { type: "abort", reason: "It was stopped." }];
    return [...closed, { type: "finish", finishReason: FINISH_REASONS[finishReason] }];
  }
}

function imageOf({ imageUrl, imageData, mimeType }: EventOf<"image_complete">, origin: string): UiChunk[] {
  const file = { type: "file", mediaType: mimeType };
  if (imageUrl !== undefined) return [{ ...file, url: new URL(imageUrl, origin).href }];
  return imageData === undefined ? [] : [{ ...file, url: `data:${mimeType};base64,${imageData}` }];
}
