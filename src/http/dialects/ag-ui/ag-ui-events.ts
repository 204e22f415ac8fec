import type { ChatEvent, EventOf, FinishReason } from "../../../protocol/events.ts";
import type { Usage } from "../../../protocol/model.ts";
import { ignoreUnknown, isDetail } from "../../../protocol/unknown.ts";
import type { FrontEndEncoder } from "../front-ends/pausing-stream.ts";
import { argumentsText, RunCalls } from "../openai/calls.ts";
import { itemId } from "../openai/ids.ts";
import { type Asked, toInterrupt } from "./interrupts.ts";

/** An event of AG-UI. */
export type AgUiEvent = { type: string } & Record<string, unknown>;

export interface AgUiOptions {
  threadId: string;
  /** The client's id for the run. */
  runId: string;
  clientTools: readonly string[];
  /** The state that the application sent, which stays as it is. */
  state?: object;
  /** True for clients before version 1, which refuse outcomes and fields of outcomes that they do not know. */
  isOld?: boolean;
}

/** A run as AG-UI events. */
export class AgUiEvents implements FrontEndEncoder {
  readonly #names: { threadId: string; runId: string };
  readonly #state: object | undefined;
  readonly #isOld: boolean;
  readonly #calls: RunCalls;
  /** Calls that the client has to run, and calls that wait for a decision. */
  readonly #handedOver: string[] = [];
  readonly #asked = new Map<string, Asked>();
  readonly pausesForQuestions = true;
  #session: EventOf<"session"> | undefined;
  #messages = 0;
  #open: { kind: "text" | "reasoning"; id: string } | undefined;
  /** The message that the calls of this step belong to. */
  #parent: string | undefined;
  #usage: Usage | undefined;
  #failed = false;
  #reasoned = false;

  constructor({ threadId, runId, clientTools, state, isOld = false }: AgUiOptions) {
    this.#names = { threadId, runId };
    this.#state = state;
    this.#isOld = isOld;
    this.#calls = new RunCalls(clientTools.map((name) => ({ name })));
  }

  take(event: ChatEvent): AgUiEvent[] {
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
        this.#asked.set(event.toolCallId, event);
        return [];
      case "question_required":
        this.#asked.set(event.toolCallId, event);
        return [this.#custom(event)];
      case "question_answered":
        this.#asked.delete(event.toolCallId);
        return [this.#custom(event)];
      case "tool_executing":
        this.#asked.delete(event.toolCallId);
        return [];
      case "tool_result":
        return this.#result(event);
      case "usage":
        this.#usage = event;
        return [];
      case "error":
        this.#failed = true;
        return [
          ...this.#close(),
          { type: "RUN_ERROR", message: event.error, code: event.code, ...this.#spent() },
        ];
      case "done":
        return this.#failed
          ? []
          : [...this.#close(), this.#finished(this.#outcome(event.finishReason), event)];
      case "warning":
        return [this.#custom(event)];
      default:
        return isDetail(event) ? [this.#custom(event)] : ignoreUnknown(event, []);
    }
  }

  pause(): AgUiEvent[] {
    const interrupts = [...this.#asked.values()].map((asked) =>
      toInterrupt(asked, this.#calls.idOf(asked.toolCallId), this.#session?.runId),
    );
    return [...this.#close(), this.#finished({ type: "interrupt", interrupts })];
  }

  resume(): AgUiEvent[] {
    const state = this.#state ? [{ type: "STATE_SNAPSHOT", snapshot: this.#state }] : [];
    return [{ type: "RUN_STARTED", ...this.#names }, ...state];
  }

  #begin(event: EventOf<"session">): AgUiEvent[] {
    this.#calls.begin(event);
    this.#session = event;
    return [...this.resume(), this.#custom(event)];
  }

  #newId(kind: "msg" | "rs"): string {
    return itemId(kind, this.#session?.runId ?? "", this.#messages++);
  }

  #say(kind: "text" | "reasoning", delta: string): AgUiEvent[] {
    if (delta === "") return [];
    const events: AgUiEvent[] = [];
    if (this.#open?.kind !== kind) {
      events.push(...this.#close());
      const id = this.#newId(kind === "text" ? "msg" : "rs");
      this.#open = { kind, id };
      if (kind === "text") this.#parent = id;
      events.push(...opening(kind, id));
    }
    const { id: messageId } = this.#open;
    const type = kind === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT";
    return [...events, { type, messageId, delta }];
  }

  #close(): AgUiEvent[] {
    if (!this.#open) return [];
    const { kind, id: messageId } = this.#open;
    this.#open = undefined;
    if (kind === "text") return [{ type: "TEXT_MESSAGE_END", messageId }];
    return [
      { type: "REASONING_MESSAGE_END", messageId },
      { type: "REASONING_END", messageId },
    ];
  }

  /** Some vendors send the reasoning only at its end. */
  #endReasoning({ reasoning }: EventOf<"reasoning_complete">): AgUiEvent[] {
    const told = this.#reasoned ? [] : this.#say("reasoning", reasoning);
    this.#reasoned = false;
    return this.#open?.kind === "reasoning" ? [...told, ...this.#close()] : told;
  }

  #call(event: EventOf<"tool_call_start">): AgUiEvent[] {
    const closed = this.#close();
    const { id: toolCallId } = this.#calls.number(event);
    if (this.#calls.isClientTool(event.toolName)) this.#handedOver.push(toolCallId);
    this.#parent ??= this.#newId("msg");
    return [
      ...closed,
      { type: "TOOL_CALL_START", toolCallId, toolCallName: event.toolName, parentMessageId: this.#parent },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: argumentsText(event.arguments) },
      { type: "TOOL_CALL_END", toolCallId },
    ];
  }

  #result(event: EventOf<"tool_result">): AgUiEvent[] {
    this.#asked.delete(event.toolCallId);
    this.#parent = undefined;
    const toolCallId = this.#calls.idOf(event.toolCallId);
    const messageId = `${toolCallId}_result`;
    const content = event.output || event.error?.message || "";
    return [{ type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool" }];
  }

  #outcome(reason: FinishReason): object | undefined {
    // Old clients know no such outcome. They find the reason in the result.
    if (reason === "cancelled") return this.#isOld ? undefined : { type: "cancelled" };
    const pendingToolCallIds = this.#pendingAt(reason);
    return { type: "success", ...(pendingToolCallIds && !this.#isOld ? { pendingToolCallIds } : {}) };
  }

  #pendingAt(reason: FinishReason): string[] | undefined {
    return reason === "client_tools" && this.#handedOver.length > 0 ? this.#handedOver : undefined;
  }

  #finished(outcome: object | undefined, done?: EventOf<"done">): AgUiEvent {
    const pendingToolCallIds = done && this.#pendingAt(done.finishReason);
    const result = done && {
      finishReason: done.finishReason,
      messageId: done.messageId,
      ...(pendingToolCallIds ? { pendingToolCallIds } : {}),
    };
    const optional = { ...(outcome ? { outcome } : {}), ...(result ? { result } : {}) };
    return { type: "RUN_FINISHED", ...this.#names, ...optional, ...this.#spent() };
  }

  #spent(): { usage?: object[] } {
    if (!this.#usage) return {};
    const { inputTokens, outputTokens, reasoningTokens, cachedTokens } = this.#usage;
    const optional = { reasoningTokens, cachedInputTokens: cachedTokens };
    const known = Object.entries(optional).filter(([, count]) => count !== undefined);
    const total = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
    return { usage: [{ model: this.#session?.model, ...total, ...Object.fromEntries(known) }] };
  }

  /** Sends an event that AG-UI does not have under our own name, with the client's ids. */
  #custom({ type, ...value }: ChatEvent): AgUiEvent {
    const known = "toolCallId" in value ? { toolCallId: this.#calls.idOf(value.toolCallId) } : {};
    const run = type === "question_required" ? { runId: this.#session?.runId } : {};
    return { type: "CUSTOM", name: `tackle.${type}`, value: { ...value, ...known, ...run } };
  }
}

function opening(kind: "text" | "reasoning", messageId: string): AgUiEvent[] {
  if (kind === "text") return [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }];
  return [
    { type: "REASONING_START", messageId },
    { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
  ];
}
