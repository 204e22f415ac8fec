import type { ChatEvent, EventOf } from "../../../protocol/events.ts";
import type { Usage } from "../../../protocol/model.ts";
import { ignoreUnknown, isDetail } from "../../../protocol/unknown.ts";
import { type CalledTool, type OpenAiCall, RunCalls } from "./calls.ts";
import { completionUsage, conversationOf, FINGERPRINT, finishOf } from "./completion.ts";
import { type OpenAiError, openAiError, runFailure } from "./errors.ts";
import { completionId } from "./ids.ts";
import { logprobsIn } from "./logprobs.ts";
import { AnswerImages, imageParts } from "./shown-images.ts";
import { beginsRefusal, pagesCited } from "./sources.ts";

export interface ChunkOptions {
  /** Seconds since 1970. */
  created: number;
  includeUsage: boolean;
  clientTools: readonly CalledTool[];
}

export type Frame = Record<string, unknown> | { error: OpenAiError };

/** Encodes a run as the chunks of a streamed chat completion. Takes each event once, in order. */
export class ChatChunks {
  readonly #options: ChunkOptions;
  readonly #calls: RunCalls;
  /** The calls of the current step, which are sent together. */
  #step: OpenAiCall[] = [];
  #facts: Record<string, unknown> = {};
  readonly #images = new AnswerImages();
  #usage: Usage | undefined;
  #runId = "";
  /** What the model says now is a refusal. */
  #refuses = false;
  /** The encoded chunk of a piece of text, before and after its delta. Undefined before the run begins. */
  #around: [before: string, after: string] | undefined;

  constructor(options: ChunkOptions) {
    this.#options = options;
    this.#calls = new RunCalls(options.clientTools);
  }

  take(event: ChatEvent): Frame[] {
    this.#images.note(event);
    if (event.type === "tool_call_start") {
      this.#step.push(this.#calls.add(event));
      return [];
    }
    const calls = this.#step.splice(0);
    const before = calls.length > 0 ? [this.#chunk({ tool_calls: calls })] : [];
    return [...before, ...this.#framesOf(event)];
  }

  /** Returns the chunk of an encoded delta, encoded. Undefined if there is something else to send first. */
  frame(delta: string): string | undefined {
    return this.#around && this.#step.length === 0 && !this.#refuses
      ? this.#around[0] + delta + this.#around[1]
      : undefined;
  }

  #framesOf(event: Exclude<ChatEvent, { type: "tool_call_start" }>): Frame[] {
    switch (event.type) {
      case "session":
        return [this.#begin(event)];
      case "content_delta":
        return event.block ? this.#takeBlock(event) : [this.#text(event)];
      case "reasoning_delta":
        return [this.#chunk(event.choices[0].delta)];
      case "tool_approval_required":
        return [this.#chunk({ tool_approval: this.#approval(event) })];
      case "tool_result": {
        const output = this.#calls.output(event);
        return output ? [this.#chunk({ tool_output: output })] : [];
      }
      case "image_complete": {
        const images = this.#images.has(event) ? imageParts(event) : [];
        return images.length > 0 ? [this.#chunk({ images })] : [];
      }
      case "usage":
        this.#usage = event;
        return [];
      case "error":
        return [{ error: openAiError(runFailure(event)) }];
      case "done":
        return event.finishReason === "error" ? [] : this.#end(event);
      case "reasoning_complete":
      case "warning":
        return [];
      default:
        return isDetail(event) ? [] : ignoreUnknown(event, []);
    }
  }

  #text({ choices: [{ delta }] }: EventOf<"content_delta">): Frame {
    return this.#chunk(this.#refuses ? { refusal: delta.content } : delta);
  }

  #takeBlock(event: EventOf<"content_delta">): Frame[] {
    this.#refuses ||= beginsRefusal(event);
    const annotations = pagesCited(event);
    return [
      ...logprobsIn(event).map((content) => this.#chunk({}, { content, refusal: null })),
      ...(annotations.length > 0 ? [this.#chunk({ annotations })] : []),
    ];
  }

  #begin(event: EventOf<"session">): Frame {
    this.#calls.begin(event);
    this.#runId = event.runId;
    this.#facts = {
      id: completionId(event.runId),
      object: "chat.completion.chunk",
      created: this.#options.created,
      model: event.model,
      system_fingerprint: FINGERPRINT,
    };
    const chunk = JSON.stringify(this.#chunk({}));
    const at = chunk.lastIndexOf("{}");
    this.#around = [chunk.slice(0, at), chunk.slice(at + 2)];
    return {
      ...this.#chunk({ role: "assistant", content: "" }),
      conversation: conversationOf(event),
    };
  }

  #chunk(delta: object, logprobs: object | null = null): Frame {
    return this.#frame([{ index: 0, delta, logprobs, finish_reason: null }]);
  }

  #frame(choices: object[]): Frame {
    return { ...this.#facts, choices, ...(this.#options.includeUsage ? { usage: null } : {}) };
  }

  #end({ finishReason }: EventOf<"done">): Frame[] {
    const last = this.#frame([
      { index: 0, delta: {}, logprobs: null, ...finishOf(finishReason, this.#refuses) },
    ]);
    if (!this.#options.includeUsage) return [last];
    return [last, { ...this.#facts, choices: [], usage: completionUsage(this.#usage) }];
  }

  /** The call needs an approval, which can be given at `decide_at`. */
  #approval(asked: EventOf<"tool_approval_required">) {
    const { toolCallId, toolName, reason, risk, preview, plan, expiresAt } = asked;
    return {
      tool_call_id: this.#calls.idOf(toolCallId),
      name: toolName,
      reason,
      risk,
      ...(preview === undefined ? {} : { preview }),
      ...(plan ? { plan } : {}),
      expires_at: expiresAt,
      decide_at: `/runs/${this.#runId}/approvals/${encodeURIComponent(toolCallId)}`,
    };
  }
}
