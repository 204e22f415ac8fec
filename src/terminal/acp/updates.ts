import type { ClientCapabilities, ContentBlock, SessionUpdate, StopReason } from "@agentclientprotocol/sdk";
import type { ChatEvent, EventOf, FinishReason, TodoItem } from "../../protocol/events.ts";
import { findCall, type RunState, reduce } from "../../protocol/reduce.ts";
import { ignoreUnknown, isDetail } from "../../protocol/unknown.ts";
import { diffsOf, textContent, toolCallOf } from "./tool-calls.ts";

/** What an editor is shown of running output at a time. */
const SHOWN_OUTPUT = 8_000;

const PLAN_STATUS = { open: "pending", doing: "in_progress", done: "completed" } as const;

const STOP_REASONS: Record<Exclude<FinishReason, "error">, StopReason> = {
  stop: "end_turn",
  client_tools: "end_turn",
  length: "max_tokens",
  tool_limit: "max_turn_requests",
  iteration_limit: "max_turn_requests",
  content_filter: "refusal",
  cancelled: "cancelled",
};

/** Returns the protocol's word for the end of a turn. */
export function stopReasonOf(reason: Exclude<FinishReason, "error">): StopReason {
  return STOP_REASONS[reason];
}

/** Turns the events of one run into updates for an editor. */
export class RunUpdates {
  #state: RunState;
  readonly #cwd: string;
  readonly #client: ClientCapabilities;
  /** Calls whose output an editor's terminal shows. */
  readonly #inTerminal = new Map<string, string>();

  constructor(state: RunState, cwd: string, client: ClientCapabilities) {
    this.#state = state;
    this.#cwd = cwd;
    this.#client = client;
  }

  get state(): RunState {
    return this.#state;
  }

  /** Shows the output of a call in a terminal of the editor from now on. */
  showInTerminal(toolCallId: string, terminalId: string): SessionUpdate {
    this.#inTerminal.set(toolCallId, terminalId);
    return {
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: "in_progress",
      content: [{ type: "terminal", terminalId }],
    };
  }

  take(event: ChatEvent): SessionUpdate[] {
    this.#state = reduce(this.#state, event);
    switch (event.type) {
      case "content_delta":
        return [this.#say("agent_message_chunk", event.choices[0].delta.content)];
      case "reasoning_delta":
        return [this.#say("agent_thought_chunk", event.choices[0].delta.reasoning_content)];
      case "tool_call_start":
        return [{ sessionUpdate: "tool_call", ...toolCallOf(event, this.#cwd) }];
      case "tool_executing":
        return [{ sessionUpdate: "tool_call_update", toolCallId: event.toolCallId, status: "in_progress" }];
      case "tool_progress":
        return this.#progress(event);
      case "tool_result":
        return [this.#result(event)];
      case "user_message":
        return [
          { sessionUpdate: "user_message_chunk", messageId: event.messageId, content: text(event.text) },
        ];
      case "todo":
        return [{ sessionUpdate: "plan", entries: event.items.map(planEntry) }];
      case "title":
        return [{ sessionUpdate: "session_info_update", title: event.title }];
      case "usage":
        return this.#usage(event);
      case "warning":
        return [this.#notice(event.message)];
      case "context_compacted":
        return [this.#notice("Older messages were summarized, so that the conversation fits the model.")];
      case "retry_status":
        return [this.#notice(`${event.reason} Trying again.`)];
      case "artifact_complete":
        return [this.#notice(`Made “${event.artifactTitle}”, version ${event.version}.`)];
      case "session":
      case "reasoning_complete":
      case "tool_approval_required":
      case "error":
      case "done":
        return [];
      default:
        return isDetail(event) ? [] : ignoreUnknown(event, []);
    }
  }

  #say(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", said: string): SessionUpdate {
    return { sessionUpdate, messageId: this.#state.messageId, content: text(said) };
  }

  #progress({ toolCallId, message }: EventOf<"tool_progress">): SessionUpdate[] {
    if (this.#inTerminal.has(toolCallId)) return [];
    const output = findCall(this.#state, toolCallId)?.progress?.output ?? "";
    const shown = output === "" ? message : output.slice(-SHOWN_OUTPUT);
    if (shown === "") return [];
    return [{ sessionUpdate: "tool_call_update", toolCallId, content: [textContent(shown)] }];
  }

  #result(event: EventOf<"tool_result">): SessionUpdate {
    const { toolCallId, success, output, error } = event;
    const call = findCall(this.#state, toolCallId);
    const terminalId = this.#inTerminal.get(toolCallId);
    const diffs = success && call ? diffsOf(call, this.#cwd) : [];
    const said = textContent(error?.message ?? (call?.progress?.output || output));
    const shown = terminalId === undefined ? [said] : [{ type: "terminal" as const, terminalId }];
    return {
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: success ? "completed" : "failed",
      content: diffs.length > 0 ? diffs : shown,
      rawOutput: { output },
    };
  }

  #usage({ contextTokens, contextWindow, costUsd }: EventOf<"usage">): SessionUpdate[] {
    if (contextTokens === undefined || contextWindow === undefined) return [];
    const cost = costUsd === undefined ? {} : { cost: { amount: costUsd, currency: "USD" } };
    return [{ sessionUpdate: "usage_update", used: contextTokens, size: contextWindow, ...cost }];
  }

  /** A remark that is no part of the answer: a notice where the editor knows them, otherwise a thought. */
  #notice(title: string): SessionUpdate {
    if (this.#client.session?.notices) return { sessionUpdate: "notice", severity: "info", title };
    return { sessionUpdate: "agent_thought_chunk", content: text(`${title}\n`) };
  }
}

function planEntry({ text: content, state }: TodoItem) {
  return { content, priority: "medium" as const, status: PLAN_STATUS[state] };
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}
