import type { ChatEvent, EventOf, FinishReason } from "../../../protocol/events.ts";
import type { JsonObject } from "../../../protocol/json.ts";
import type { Usage } from "../../../protocol/model.ts";
import { ignoreUnknown } from "../../../protocol/unknown.ts";
import { RunCalls } from "./calls.ts";
import { itemId, responseId } from "./ids.ts";
import {
  type FunctionCallItem,
  type MessageItem,
  type OutputItem,
  type ReasoningItem,
  type ServerCallItem,
  textContent,
} from "./response-items.ts";
import { responseError, responseStatus, responseUsage } from "./response-object.ts";

export interface ResponseOptions {
  /** Seconds since 1970. */
  createdAt: number;
  echo: JsonObject;
  clientTools: readonly string[];
}

/** One semantic event; numbered from 0, the same every time for the same run. */
export type ResponseEvent = { type: string; sequence_number: number } & Record<string, unknown>;

type Bare = { type: string } & Record<string, unknown>;

const SERVER_LABEL = "tackle";

/** A run as the events of a streamed response, and at any time as the response so far. Takes each event once, in order. */
export class ResponseEvents {
  readonly #options: ResponseOptions;
  readonly #calls: RunCalls;
  readonly #output: OutputItem[] = [];
  /** The message or the thoughts that are being written. */
  #open: { item: MessageItem | ReasoningItem; index: number } | undefined;
  readonly #running = new Map<string, { item: ServerCallItem; index: number }>();
  #session: EventOf<"session"> | undefined;
  #usage: Usage | undefined;
  #error: EventOf<"error"> | undefined;
  #finishReason: FinishReason | undefined;
  #sequence = 0;

  constructor(options: ResponseOptions) {
    this.#options = options;
    this.#calls = new RunCalls(options.clientTools);
  }

  take(event: ChatEvent): ResponseEvent[] {
    return this.#eventsOf(event).map(({ type, ...rest }) => ({
      type,
      sequence_number: this.#sequence++,
      ...rest,
    }));
  }

  /** The response as it is now. */
  response(): Record<string, unknown> {
    const { createdAt, echo } = this.#options;
    const status = responseStatus(this.#finishReason);
    return {
      id: responseId(this.#runId),
      object: "response",
      created_at: createdAt,
      ...status,
      error: this.#error ? responseError(this.#error) : null,
      model: this.#session?.model ?? "",
      output: structuredClone(this.#output),
      usage: this.#finishReason === undefined ? null : responseUsage(this.#usage),
      ...echo,
      conversation: this.#session ? { id: this.#session.sessionId } : null,
    };
  }

  get #runId(): string {
    return this.#session?.runId ?? "";
  }

  #eventsOf(event: ChatEvent): Bare[] {
    switch (event.type) {
      case "session":
        this.#session = event;
        this.#calls.begin(event);
        return ["response.created", "response.in_progress"].map((type) => ({
          type,
          response: this.response(),
        }));
      case "content_delta":
        return this.#say(event.choices[0].delta.content);
      case "reasoning_delta":
        return this.#think(event.choices[0].delta.reasoning_content);
      case "reasoning_complete":
        return this.#open?.item.type === "reasoning" ? this.#close("completed") : [];
      case "tool_call_start":
        return [...this.#close("completed"), ...this.#call(event)];
      case "tool_result":
        return this.#settle(event);
      case "usage":
        this.#usage = event;
        return [];
      case "error":
        this.#error = event;
        return [];
      case "done":
        return this.#end(event);
      case "reasoning_step":
      case "reasoning_status":
      case "tool_approval_required":
      case "tool_executing":
      case "tool_progress":
      case "artifact_delta":
      case "artifact_complete":
      case "image_complete":
      case "web_search":
      case "retry_status":
      case "warning":
        return [];
      default:
        return ignoreUnknown(event, []);
    }
  }

  #say(delta: string): Bare[] {
    const events: Bare[] = [];
    if (this.#open?.item.type !== "message") {
      events.push(...this.#close("completed"));
      const index = this.#output.length;
      const id = itemId("msg", this.#runId, index);
      const item: MessageItem = {
        type: "message",
        id,
        status: "in_progress",
        role: "assistant",
        content: [],
      };
      events.push(this.#add(item));
      item.content.push(textContent(""));
      this.#open = { item, index };
      events.push({ type: "response.content_part.added", ...at(id, index), ...part0, part: textContent("") });
    }
    const { item, index } = this.#open as { item: MessageItem; index: number };
    const [content] = item.content;
    if (content) content.text += delta;
    events.push({
      type: "response.output_text.delta",
      ...at(item.id, index),
      ...part0,
      delta,
      logprobs: [],
    });
    return events;
  }

  #think(delta: string): Bare[] {
    const events: Bare[] = [];
    if (this.#open?.item.type !== "reasoning") {
      events.push(...this.#close("completed"));
      const index = this.#output.length;
      const id = itemId("rs", this.#runId, index);
      const item: ReasoningItem = { type: "reasoning", id, status: "in_progress", summary: [] };
      events.push(this.#add(item));
      item.summary.push({ type: "summary_text", text: "" });
      this.#open = { item, index };
      const part = { type: "summary_text", text: "" };
      events.push({ type: "response.reasoning_summary_part.added", ...at(id, index), ...summary0, part });
    }
    const { item, index } = this.#open as { item: ReasoningItem; index: number };
    const [summary] = item.summary;
    if (summary) summary.text += delta;
    events.push({
      type: "response.reasoning_summary_text.delta",
      ...at(item.id, index),
      ...summary0,
      delta,
    });
    return events;
  }

  #close(status: "completed" | "incomplete"): Bare[] {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return [];
    const { item, index } = open;
    item.status = status;
    const where = at(item.id, index);
    const done = { type: "response.output_item.done", output_index: index, item: structuredClone(item) };
    if (item.type === "message") {
      const part = item.content[0] ?? textContent("");
      return [
        { type: "response.output_text.done", ...where, ...part0, text: part.text, logprobs: [] },
        { type: "response.content_part.done", ...where, ...part0, part: structuredClone(part) },
        done,
      ];
    }
    const part = item.summary[0] ?? { type: "summary_text", text: "" };
    return [
      { type: "response.reasoning_summary_text.done", ...where, ...summary0, text: part.text },
      { type: "response.reasoning_summary_part.done", ...where, ...summary0, part: { ...part } },
      done,
    ];
  }

  #call(event: EventOf<"tool_call_start">): Bare[] {
    const call = this.#calls.add(event);
    const { name, arguments: args } = call.function;
    const index = this.#output.length;
    if (this.#calls.isClients(name)) {
      const id = itemId("fc", this.#runId, call.index);
      const item: FunctionCallItem = {
        type: "function_call",
        id,
        call_id: call.id,
        name,
        arguments: "",
        status: "in_progress",
      };
      const added = this.#add(item);
      Object.assign(item, { arguments: args, status: "completed" });
      return [
        added,
        { type: "response.function_call_arguments.delta", ...at(id, index), delta: args },
        { type: "response.function_call_arguments.done", ...at(id, index), name, arguments: args },
        { type: "response.output_item.done", output_index: index, item: { ...item } },
      ];
    }
    const id = itemId("mcp", this.#runId, call.index);
    const item: ServerCallItem = {
      type: "mcp_call",
      id,
      server_label: SERVER_LABEL,
      name,
      arguments: "",
      approval_request_id: null,
      output: null,
      error: null,
      status: "in_progress",
    };
    const added = this.#add(item);
    item.arguments = args;
    this.#running.set(event.toolCallId, { item, index });
    return [
      added,
      { type: "response.mcp_call.in_progress", ...at(id, index) },
      { type: "response.mcp_call_arguments.delta", ...at(id, index), delta: args },
      { type: "response.mcp_call_arguments.done", ...at(id, index), arguments: args },
    ];
  }

  #settle({ toolCallId, success, output }: EventOf<"tool_result">): Bare[] {
    const running = this.#running.get(toolCallId);
    this.#running.delete(toolCallId);
    if (!running) return [];
    const { item, index } = running;
    Object.assign(item, success ? { output, status: "completed" } : { error: output, status: "failed" });
    return [
      { type: `response.mcp_call.${success ? "completed" : "failed"}`, ...at(item.id, index) },
      { type: "response.output_item.done", output_index: index, item: { ...item } },
    ];
  }

  #end({ finishReason }: EventOf<"done">): Bare[] {
    this.#finishReason = finishReason;
    const { status } = responseStatus(finishReason);
    const events = this.#close(status === "completed" ? "completed" : "incomplete");
    for (const toolCallId of [...this.#running.keys()]) {
      const output = "It was stopped before it was over.";
      events.push(...this.#settle({ toolCallId, success: false, output } as EventOf<"tool_result">));
    }
    // OpenAI has no event of its own for a response that was cancelled.
    const type = status === "cancelled" ? "incomplete" : status;
    return [...events, { type: `response.${type}`, response: this.response() }];
  }

  #add(item: OutputItem): Bare {
    const index = this.#output.push(item) - 1;
    return { type: "response.output_item.added", output_index: index, item: structuredClone(item) };
  }
}

const part0 = { content_index: 0 };
const summary0 = { summary_index: 0 };

function at(item_id: string, output_index: number): { item_id: string; output_index: number } {
  return { item_id, output_index };
}
