import type { ChatEvent, EventOf, FinishReason } from "../../../protocol/events.ts";
import type { Usage } from "../../../protocol/model.ts";
import { type OpenAiCall, RunCalls, type ToolOutput } from "./calls.ts";
import { type Conversation, completionUsage, conversationOf, finishOf } from "./completion.ts";
import { completionId } from "./ids.ts";

type BareCall = Omit<OpenAiCall, "index">;

/** What happened in an answer, in order. */
export type ToolEvent =
  | { type: "text"; value: string }
  | { type: "tool_call"; value: BareCall }
  | { type: "tool_output"; value: ToolOutput };

/** A run as one chat completion. Takes each event once, in order. */
export class ChatCompletion {
  readonly #created: number;
  readonly #calls: RunCalls;
  readonly #events: ToolEvent[] = [];
  /** What the client has to run. */
  readonly #handedOver: BareCall[] = [];
  #text = "";
  #reasoning = "";
  #session: EventOf<"session"> | undefined;
  #usage: Usage | undefined;
  #finishReason: FinishReason = "error";

  constructor({ created, clientTools }: { created: number; clientTools: readonly string[] }) {
    this.#created = created;
    this.#calls = new RunCalls(clientTools);
  }

  take(event: ChatEvent): void {
    switch (event.type) {
      case "session":
        this.#session = event;
        this.#calls.begin(event);
        return;
      case "content_delta":
        this.#say(event.choices[0].delta.content);
        return;
      case "reasoning_delta":
        this.#reasoning += event.choices[0].delta.reasoning_content;
        return;
      case "tool_call_start": {
        const { index: _, ...call } = this.#calls.add(event);
        this.#events.push({ type: "tool_call", value: call });
        if (this.#calls.isClients(event.toolName)) this.#handedOver.push(call);
        return;
      }
      case "tool_result": {
        const value = this.#calls.output(event);
        if (value) this.#events.push({ type: "tool_output", value });
        return;
      }
      case "usage":
        this.#usage = event;
        return;
      case "done":
        this.#finishReason = event.finishReason;
    }
  }

  /** The completion, once the run is over. */
  body(): Record<string, unknown> {
    const calls = this.#handedOver;
    const message = {
      role: "assistant",
      content: this.#text === "" && calls.length > 0 ? null : this.#text,
      refusal: null,
      annotations: [],
      ...(this.#reasoning === "" ? {} : { reasoning_content: this.#reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    const conversation: Conversation | undefined = this.#session && conversationOf(this.#session);
    return {
      id: completionId(this.#session?.runId ?? ""),
      object: "chat.completion",
      created: this.#created,
      model: this.#session?.model ?? "",
      choices: [{ index: 0, message, logprobs: null, ...finishOf(this.#finishReason) }],
      usage: completionUsage(this.#usage),
      tool_events: this.#events,
      conversation,
    };
  }

  #say(text: string): void {
    this.#text += text;
    const last = this.#events.at(-1);
    if (last?.type === "text") last.value += text;
    else this.#events.push({ type: "text", value: text });
  }
}
