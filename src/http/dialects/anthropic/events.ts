import type { ChatEvent, EventOf, FinishReason } from "../../../protocol/events.ts";
import { isObject, type Json, type JsonObject } from "../../../protocol/json.ts";
import type { Usage } from "../../../protocol/model.ts";
import { ignoreUnknown, isDetail } from "../../../protocol/unknown.ts";
import { CITATIONS, MESSAGE_FACTS } from "../../../protocol/vendor-blocks.ts";
import { RunCalls } from "../openai/calls.ts";
import { anthropicError, type Extent, messageFailure } from "./errors.ts";
import { messageId, toolUseId } from "./ids.ts";
import { OWN_SIGNATURE, SERVER_NAME } from "./messages.ts";
import { type Block, isSearch, searchCall, searchResult } from "./search-blocks.ts";

export interface MessageOptions {
  clientTools: readonly string[];
  /** The model as the client calls it. */
  model: string;
  extent: Extent;
  requestId: string;
  /** False if the client has not asked for thinking: many read the first block as the answer. */
  showsThinking: boolean;
  /** The vendor got the request as it is, so the client runs every call. */
  isNative: boolean;
  /** The client wants to know that the model thought, but not what. */
  omitsThoughts: boolean;
  /** The client has asked for Anthropic's own search, which ours stands for. */
  searches?: boolean;
}

/** An event of the stream. */
export type MessageEvent = { type: string } & Record<string, unknown>;

const STOP_REASONS: Record<FinishReason, string> = {
  stop: "end_turn",
  length: "max_tokens",
  content_filter: "refusal",
  client_tools: "tool_use",
  // Sent back, the answer continues.
  tool_limit: "pause_turn",
  iteration_limit: "pause_turn",
  cancelled: "end_turn",
  error: "end_turn",
};

/** Encodes a run as the events of a streamed message, and as the message so far. Takes each event once, in order. */
export class MessageEvents {
  readonly #options: MessageOptions;
  readonly #calls: RunCalls;
  readonly #content: Block[] = [];
  /** The text or thinking that is being written. */
  #open: Block | undefined;
  /** The result of a search. The event behind it says what was found. */
  #searched: EventOf<"tool_result"> | undefined;
  #runId = "";
  #model = "";
  #usage: Usage | undefined;
  /** What the vendor said about its message. */
  #facts: { message: JsonObject; usage: JsonObject; calls: Json[] } = { message: {}, usage: {}, calls: [] };
  #ending: { stop_reason: string | null; stop_sequence: string | null } = {
    stop_reason: null,
    stop_sequence: null,
  };

  constructor(options: MessageOptions) {
    this.#options = options;
    this.#calls = new RunCalls(options.clientTools.map((name) => ({ name })));
  }

  take(event: ChatEvent): MessageEvent[] {
    const pending = event.type === "web_search" ? [] : this.#endSearch();
    return [...pending, ...this.#eventsOf(event)];
  }

  #eventsOf(event: ChatEvent): MessageEvent[] {
    switch (event.type) {
      case "session":
        return this.#begin(event);
      case "content_delta":
        if (event.block?.type === CITATIONS) return this.#cite(event.block);
        if (event.block?.type === MESSAGE_FACTS) return this.#learn(event.block);
        if (event.block) return [...this.#close(), ...this.#vendorBlock(event.block)];
        return this.#write("text", event.choices[0].delta.content);
      case "reasoning_delta":
        return this.#think(event);
      case "tool_call_start":
        return [...this.#close(), ...this.#call(event)];
      case "tool_result":
        return this.#result(event);
      case "web_search":
        return this.#endSearch(event);
      case "usage":
        this.#usage = event;
        return [];
      case "error": {
        const { extent, requestId } = this.#options;
        return [...this.#close(), anthropicError(messageFailure(event, extent), requestId).body];
      }
      case "done":
        return event.finishReason === "error" ? [] : this.#end(event);
      case "reasoning_complete":
      case "tool_approval_required":
      case "warning":
        return [];
      default:
        return isDetail(event) ? [] : ignoreUnknown(event, []);
    }
  }

  /** The message as it is now. */
  message(): Record<string, unknown> {
    return {
      id: messageId(this.#runId),
      type: "message",
      role: "assistant",
      model: this.#model,
      content: structuredClone(this.#content),
      ...this.#ending,
      container: null,
      stop_details: null,
      ...this.#facts.message,
      usage: this.#usageNow(),
    };
  }

  #begin({ runId, model }: EventOf<"session">): MessageEvent[] {
    const asked = this.#options.model;
    this.#runId = runId;
    this.#calls.begin({ runId });
    this.#model = model.endsWith(asked) ? asked : model;
    return [{ type: "message_start", message: this.message() }, { type: "ping" }];
  }

  #think({ choices, signature, redacted }: EventOf<"reasoning_delta">): MessageEvent[] {
    if (!this.#options.showsThinking) return [];
    if (redacted !== undefined)
      return [...this.#close(), ...this.#add({ type: "redacted_thinking", data: redacted })];
    const { omitsThoughts } = this.#options;
    const text = omitsThoughts ? "" : choices[0].delta.reasoning_content;
    const events = this.#write("thinking", text, omitsThoughts || signature !== undefined);
    return signature === undefined ? events : [...events, ...this.#close(signature)];
  }

  /** Adds text to the open block, and opens one first if needed. */
  #write(kind: "text" | "thinking", text: string, always = false): MessageEvent[] {
    if (text === "" && !always) return [];
    const events: MessageEvent[] = [];
    if (this.#open?.type !== kind) {
      events.push(...this.#close());
      this.#open = kind === "text" ? { type: kind, text: "" } : { type: kind, thinking: "", signature: "" };
      events.push(this.#start(this.#open));
    }
    this.#open[kind] += text;
    if (text !== "") events.push(this.#delta({ type: `${kind}_delta`, [kind]: text }));
    return events;
  }

  /** Closes the open block. Clients keep thinking only with a signature, so what no vendor has signed gets ours. */
  #close(signature = OWN_SIGNATURE): MessageEvent[] {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return [];
    if (open.type !== "thinking") return [this.#stop()];
    open.signature = signature;
    return [this.#delta({ type: "signature_delta", signature }), this.#stop()];
  }

  #call(event: EventOf<"tool_call_start">): MessageEvent[] {
    const { toolName: name, arguments: args } = event;
    const input = isObject(args) ? args : {};
    const isClient = this.#options.isNative || this.#calls.isClientTool(name);
    const call = this.#calls.number(event);
    if (!isClient && this.#isSearch(name))
      return this.#addCall(searchCall(toolUseId(call.id, "srvtoolu"), input));
    const id = toolUseId(call.id, isClient ? "toolu" : "mcptoolu");
    const about = this.#facts.calls[call.index];
    const block = isClient
      ? { type: "tool_use", id, name, input, ...(isObject(about) && about) }
      : { type: "mcp_tool_use", id, name, server_name: SERVER_NAME, input };
    return this.#addCall(block);
  }

  #result(event: EventOf<"tool_result">): MessageEvent[] {
    const output = this.#calls.output(event);
    if (!output) return [];
    if (this.#isSearch(event.toolName)) {
      this.#searched = event;
      return [];
    }
    const content = [{ type: "text", text: output.output }];
    const tool_use_id = toolUseId(output.tool_call_id, "mcptoolu");
    const is_error = output.status === "error";
    return this.#add({ type: "mcp_tool_result", tool_use_id, is_error, content });
  }

  #isSearch(toolName: string): boolean {
    return this.#options.searches === true && isSearch(toolName);
  }

  /** Adds the result of the search that has ended, with what it found. */
  #endSearch(found?: EventOf<"web_search">): MessageEvent[] {
    const result = this.#searched;
    this.#searched = undefined;
    if (!result) return [];
    const own = found?.toolCallId === result.toolCallId ? found : undefined;
    const id = toolUseId(this.#calls.idOf(result.toolCallId), "srvtoolu");
    return this.#add(searchResult(id, own, result.success));
  }

  /** Ends the open text, with the places that it cites. */
  #cite({ citations }: JsonObject): MessageEvent[] {
    const open = this.#open;
    if (open?.type !== "text") return [];
    const places = Array.isArray(citations) ? citations : [];
    if (places.length > 0) open.citations = places;
    const deltas = places.map((citation) => this.#delta({ type: "citations_delta", citation }));
    return [...deltas, ...this.#close()];
  }

  #vendorBlock(block: JsonObject): MessageEvent[] {
    const typed = { ...block, type: String(block.type) };
    if (typed.type === "compaction") return this.#addCompaction(typed);
    return isObject(block.input) ? this.#addCall(typed) : this.#add(typed);
  }

  /** Adds the vendor's summary of the conversation. Clients notice it by its delta. */
  #addCompaction({ type, ...summary }: Block): MessageEvent[] {
    const start = this.#start({ type, ...summary });
    return [
      { ...start, content_block: { type, ...summary, content: null } },
      this.#delta({ type: "compaction_delta", ...summary }),
      this.#stop(),
    ];
  }

  /** Adds a call. Clients build its input from the deltas. */
  #addCall(block: Block): MessageEvent[] {
    const start = this.#start(block);
    const partial_json = JSON.stringify(block.input);
    return [
      { ...start, content_block: { ...block, input: {} } },
      this.#delta({ type: "input_json_delta", partial_json }),
      this.#stop(),
    ];
  }

  #add(block: Block): MessageEvent[] {
    return [this.#start(block), this.#stop()];
  }

  #start(block: Block): MessageEvent {
    const index = this.#content.push(block) - 1;
    return { type: "content_block_start", index, content_block: { ...block } };
  }

  #delta(delta: Block): MessageEvent {
    return { type: "content_block_delta", index: this.#content.length - 1, delta };
  }

  #stop(): MessageEvent {
    return { type: "content_block_stop", index: this.#content.length - 1 };
  }

  #end({ finishReason, stopSequence, rawReason }: EventOf<"done">): MessageEvent[] {
    const events = this.#close();
    const reason = rawReason ?? (stopSequence === undefined ? STOP_REASONS[finishReason] : "stop_sequence");
    this.#ending = { stop_reason: reason, stop_sequence: stopSequence ?? null };
    const { container = null, stop_details = null, ...about } = this.#facts.message;
    const delta = { ...this.#ending, container, stop_details };
    return [
      ...events,
      { type: "message_delta", delta, usage: this.#usageNow(), ...about },
      { type: "message_stop" },
    ];
  }

  #learn({ message, usage, calls }: JsonObject): MessageEvent[] {
    const fields = (value: unknown) => (isObject(value) ? (value as JsonObject) : {});
    const about = Array.isArray(calls) ? calls : [];
    this.#facts = { message: fields(message), usage: fields(usage), calls: about };
    return [];
  }

  #usageNow() {
    const { inputTokens, outputTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 } = this.#usage ?? {};
    const apart = cachedTokens + cacheWriteTokens;
    return {
      ...this.#facts.usage,
      // Cached tokens are counted apart. Before the vendor has counted, we estimate.
      input_tokens:
        inputTokens === undefined ? this.#options.extent.tokens : Math.max(0, inputTokens - apart),
      cache_creation_input_tokens: cacheWriteTokens,
      cache_read_input_tokens: cachedTokens,
      output_tokens: outputTokens,
    };
  }
}
