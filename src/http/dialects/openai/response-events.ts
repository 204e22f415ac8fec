import type { ChatEvent, EventOf, FinishReason } from "../../../protocol/events.ts";
import type { JsonObject } from "../../../protocol/json.ts";
import type { Usage } from "../../../protocol/model.ts";
import { ignoreUnknown, isDetail } from "../../../protocol/unknown.ts";
import { argumentsText, type CalledTool, RunCalls } from "./calls.ts";
import { citationsIn, SEARCH_SOURCES } from "./citations.ts";
import { DeferredTools } from "./deferred-tools.ts";
import { itemId, responseId } from "./ids.ts";
import {
  addPart,
  type ClientCallItem,
  newItem,
  type OutputItem,
  type ServerCallItem,
  type TextItem,
} from "./response-items.ts";
import { responseError, responseStatus, responseUsage } from "./response-object.ts";
import { ENCRYPTED_REASONING, sealItem } from "./sealed.ts";
import { type AskedTools, addFound, askedTools, beginCall, endCall, madeImage } from "./server-calls.ts";
import { AnswerImages } from "./shown-images.ts";
import { beginsRefusal, vendorCallIn } from "./sources.ts";
import {
  annotate,
  annotated,
  at,
  type OpenText,
  partAdded,
  textDelta,
  textDone,
  weighed,
} from "./text-events.ts";
import { shapeOf } from "./tool-forms.ts";

export interface ResponseOptions {
  /** Seconds since 1970. */
  createdAt: number;
  /** The same, for a response that was made before. */
  completedAt?: number;
  echo: JsonObject;
  clientTools: readonly CalledTool[];
  /** The answer is a summary, which the client gets as one item. */
  compacts?: boolean;
  /** Encrypts what only this server may read. */
  seal(text: string): string;
  /** What the client wants to have in the answer. */
  include?: readonly string[];
}

/** An event of the stream, numbered from 0. The same run always gives the same events. */
export type ResponseEvent = { type: string; sequence_number: number } & Record<string, unknown>;

type Bare = { type: string } & Record<string, unknown>;

/** Encodes a run as the events of a streamed response, and as the response so far. Takes each event once, in order. */
export class ResponseEvents {
  readonly #options: ResponseOptions;
  readonly #calls: RunCalls;
  /** Tools of OpenAI's whose calls the client shows in their own way. */
  readonly #asked: AskedTools;
  readonly #deferred: DeferredTools;
  readonly #images = new AnswerImages();
  readonly #output: OutputItem[] = [];
  /** The message or reasoning that is being written. */
  #open: OpenText | undefined;
  readonly #running = new Map<string, { item: ServerCallItem; index: number }>();
  /** The result of a call. The event behind it may say what the call found or made. */
  #ended: EventOf<"tool_result"> | undefined;
  /** What searches of the client's kind have found. */
  readonly #sources: EventOf<"web_search">["data"]["sources"] = [];
  #session: EventOf<"session"> | undefined;
  #usage: Usage | undefined;
  #error: EventOf<"error"> | undefined;
  #finishReason: FinishReason | undefined;
  #completedAt: number | null = null;
  #sequence = 0;
  #summary = "";
  /** What the model says now is a refusal. */
  #refuses = false;

  constructor(options: ResponseOptions) {
    this.#options = options;
    this.#calls = new RunCalls(options.clientTools);
    this.#asked = askedTools(options.echo);
    this.#deferred = new DeferredTools(options.echo);
  }

  take(event: ChatEvent): ResponseEvent[] {
    this.#images.note(event);
    const isFind = event.type === "web_search" || event.type === "image_complete";
    const pending = isFind ? [] : this.#endCall();
    return [...pending, ...this.#eventsOf(event)].map(({ type, ...rest }) => ({
      type,
      sequence_number: this.#sequence++,
      ...rest,
    }));
  }

  /** The response as it is now. */
  response(): Record<string, unknown> {
    const { createdAt, echo } = this.#options;
    const status = this.#status();
    const session = this.#session && { id: this.#session.sessionId };
    return {
      id: responseId(this.#runId),
      object: "response",
      created_at: createdAt,
      completed_at: status.status === "completed" ? this.#completedAt : null,
      ...status,
      error: this.#error ? responseError(this.#error) : null,
      model: this.#session?.model ?? "",
      output: this.output(),
      usage: this.#finishReason === undefined ? null : responseUsage(this.#usage),
      ...echo,
      conversation: echo.conversation ?? session ?? null,
    };
  }

  /** The items so far. */
  output(): OutputItem[] {
    return structuredClone(this.#output);
  }

  /** A refusal is a whole answer, which says itself what it is. */
  #status() {
    const refused = this.#refuses && this.#finishReason === "content_filter";
    return responseStatus(refused ? "stop" : this.#finishReason);
  }

  get #runId(): string {
    return this.#session?.runId ?? "";
  }

  #eventsOf(event: ChatEvent): Bare[] {
    switch (event.type) {
      case "session":
        this.#session = event;
        this.#calls.begin(event);
        return [
          { type: "response.created", response: this.response() },
          { type: "response.in_progress", response: this.response() },
        ];
      case "content_delta":
        return event.block ? this.#takeBlock(event) : this.#write("message", event.choices[0].delta.content);
      case "reasoning_delta":
        return this.#write("reasoning", event.choices[0].delta.reasoning_content);
      case "reasoning_complete":
        return this.#open?.item.type === "reasoning" ? this.#close("completed") : [];
      case "tool_call_start":
        return [...this.#close("completed"), ...this.#call(event)];
      case "tool_result":
        if (!event.success || this.#typeOf(event) === "mcp_call") return this.#settle(event);
        this.#ended = event;
        return [];
      case "web_search":
        if (this.#typeOf(event) === "web_search_call") this.#sources.push(...event.data.sources);
        return this.#endCall(event);
      case "image_complete":
        if (this.#typeOf(event) === "image_generation_call" || !this.#images.has(event))
          return this.#endCall(event);
        return [...this.#endCall(), ...this.#showImage(event)];
      case "usage":
        this.#usage = event;
        return [];
      case "error":
        this.#error = event;
        return [];
      case "done":
        return this.#end(event);
      case "tool_approval_required":
      case "warning":
        return [];
      default:
        return isDetail(event) ? [] : ignoreUnknown(event, []);
    }
  }

  /** Takes what is said about the text so far, or what the vendor's own tools did. */
  #takeBlock(event: EventOf<"content_delta">): Bare[] {
    if (beginsRefusal(event) && !this.#options.compacts) {
      this.#refuses = true;
      return this.#close("completed");
    }
    const found = vendorCallIn(event);
    if (!found) return [...weighed(this.#open, event), ...annotated(this.#open, event)];
    if (this.#options.compacts) return [];
    const closed = this.#close("completed");
    return [...closed, ...this.#addWhole(found.call, found.prefix)];
  }

  /** Adds an item that nothing is missing of. */
  #addWhole(item: JsonObject & { type: string }, prefix: string): Bare[] {
    const added = this.#add({ ...item, id: itemId(prefix, this.#runId, this.#output.length) });
    return [added, { ...added, type: "response.output_item.done" }];
  }

  /** Adds text to the open message or reasoning item, and opens one first if needed. */
  #write(kind: TextItem["type"], delta: string): Bare[] {
    if (this.#options.compacts) {
      if (kind === "message") this.#summary += delta;
      return [];
    }
    const events: Bare[] = [];
    if (this.#open?.item.type !== kind) {
      events.push(...this.#close("completed"));
      const index = this.#output.length;
      const item = newItem(kind, this.#runId, index);
      events.push(this.#add(item));
      this.#open = { item, part: addPart(item, this.#refuses), index };
      events.push(partAdded(this.#open));
    }
    return [...events, textDelta(this.#open, delta)];
  }

  #close(status: "completed" | "incomplete"): Bare[] {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return [];
    const { item, part } = open;
    item.status = status;
    if (part.type === "summary_text" && item.type === "reasoning" && this.#includes(ENCRYPTED_REASONING)) {
      const sealed = { kind: "reasoning" as const, runId: this.#runId, text: part.text };
      item.encrypted_content = sealItem(this.#options, sealed);
    }
    return [...this.#cite(open), ...textDone(open)];
  }

  /** Says which pages of our own searches the text names. A vendor says itself what it cites. */
  #cite(open: OpenText): Bare[] {
    const { part } = open;
    if (part.type !== "output_text" || part.annotations.length > 0) return [];
    return annotate(open, citationsIn(part.text, this.#sources));
  }

  #call(event: EventOf<"tool_call_start">): Bare[] {
    const { toolName: name } = event;
    const call = this.#calls.number(event);
    const args = argumentsText(event.arguments);
    if (this.#calls.isClientTool(name)) return this.#handOver(call, name, args);
    const index = this.#output.length;
    const begun = { runId: this.#runId, index: call.index, name, args };
    const { item, added, events } = beginCall(begun, this.#asked);
    this.#output.push(item);
    this.#running.set(event.toolCallId, { item, index });
    return [
      { type: "response.output_item.added", output_index: index, item: structuredClone(added) },
      ...events.map(({ type, ...rest }) => ({ type, ...at(item.id, index), ...rest })),
    ];
  }

  /** Hands a call over to the client, in the form that it declared. */
  #handOver(call: { index: number; id: string }, name: string, args: string): Bare[] {
    const { type, prefix, fields, streamed } = shapeOf(name, args, this.#calls.formOf(name));
    const search = this.#search(name);
    const index = this.#output.length;
    const id = itemId(prefix, this.#runId, call.index);
    const item: ClientCallItem = { type, id, call_id: call.id, ...fields, status: "in_progress" };
    if (streamed) item[streamed.field] = "";
    const added = this.#add(item);
    item.status = "completed";
    const events: Bare[] = [];
    if (streamed) {
      const { event, field, text } = streamed;
      item[field] = text;
      events.push(
        { type: `${event}.delta`, ...at(id, index), delta: text },
        { type: `${event}.done`, ...at(id, index), name, [field]: text },
      );
    }
    const done = { type: "response.output_item.done", output_index: index, item: structuredClone(item) };
    return [...search, added, ...events, done];
  }

  /** Tells the search that loads a tool, if the client lets one do so. */
  #search(name: string): Bare[] {
    const [call, output] = this.#deferred.load(name) ?? [];
    if (!call || !output) return [];
    return [this.#addWhole(call, "tsc"), this.#addWhole(output, "tso")].flat();
  }

  #includes(what: string): boolean {
    return this.#options.include?.includes(what) === true;
  }

  #typeOf({ toolCallId }: { toolCallId: string }): ServerCallItem["type"] | undefined {
    return this.#running.get(toolCallId)?.item.type;
  }

  /** Ends the call that has its result, with what it found or made. */
  #endCall(found?: EventOf<"web_search" | "image_complete">): Bare[] {
    const result = this.#ended;
    this.#ended = undefined;
    if (!result) return [];
    const item = this.#running.get(result.toolCallId)?.item;
    const own = found?.toolCallId === result.toolCallId ? found : undefined;
    if (item) addFound(item, own, this.#includes(SEARCH_SOURCES));
    return this.#settle(result);
  }

  /** Shows an image that is no call's of the client's kind. */
  #showImage(event: EventOf<"image_complete">): Bare[] {
    if (this.#options.compacts) return [];
    const closed = this.#close("completed");
    const index = this.#output.length;
    const { item, added, events } = madeImage(event, itemId("ig", this.#runId, index));
    const begun = this.#add(added);
    this.#output[index] = item;
    const done = { type: "response.output_item.done", output_index: index, item: structuredClone(item) };
    return [...closed, begun, ...events.map(({ type }) => ({ type, ...at(item.id, index) })), done];
  }

  #settle({ toolCallId, success, output }: EventOf<"tool_result">): Bare[] {
    const running = this.#running.get(toolCallId);
    this.#running.delete(toolCallId);
    if (!running) return [];
    const { item, index } = running;
    const type = endCall(item, success, output);
    return [
      { type, ...at(item.id, index) },
      { type: "response.output_item.done", output_index: index, item: structuredClone(item) },
    ];
  }

  #end({ finishReason }: EventOf<"done">): Bare[] {
    this.#finishReason = finishReason;
    this.#completedAt = this.#options.completedAt ?? Math.floor(Date.now() / 1000);
    const { status } = this.#status();
    const events = this.#close(status === "completed" ? "completed" : "incomplete");
    for (const toolCallId of [...this.#running.keys()]) {
      const output = "It was stopped before it finished.";
      events.push(...this.#settle({ toolCallId, success: false, output } as EventOf<"tool_result">));
    }
    if (this.#options.compacts && status === "completed") events.push(...this.#compact());
    // OpenAI has no event of its own for a response that was cancelled.
    const type = status === "cancelled" ? "incomplete" : status;
    return [...events, { type: `response.${type}`, response: this.response() }];
  }

  #compact(): Bare[] {
    const id = itemId("cmp", this.#runId, this.#output.length);
    const encrypted_content = sealItem(this.#options, { kind: "summary", text: this.#summary });
    const item = { type: "compaction" as const, id, encrypted_content };
    const added = this.#add(item);
    return [added, { ...added, type: "response.output_item.done" }];
  }

  #add(item: OutputItem): Bare {
    const index = this.#output.push(item) - 1;
    return { type: "response.output_item.added", output_index: index, item: structuredClone(item) };
  }
}
