import type { ChatEvent, EventOf } from "../../../protocol/events.ts";
import type { Json } from "../../../protocol/json.ts";
import type { Usage } from "../../../protocol/model.ts";
import { ignoreUnknown, isDetail } from "../../../protocol/unknown.ts";
import type { StreamEncoder } from "../../sse.ts";
import { type CalledTool, RunCalls } from "../openai/calls.ts";
import { runFailure } from "../openai/errors.ts";
import { logprobsIn } from "../openai/logprobs.ts";

export interface LineOptions {
  /** `chat` has a message, `generate` a text. */
  kind: "chat" | "generate";
  /** The model as the client calls it. */
  model: string;
  clientTools: readonly CalledTool[];
  showsThinking: boolean;
}

interface Said {
  content?: string;
  thinking?: string;
  tool_calls?: object[];
  logprobs?: Json[];
}

const NDJSON = { "content-type": "application/x-ndjson" };

/** Encodes a run as Ollama's lines, and as the whole answer. Takes each event once, in order. */
export class OllamaAnswer {
  readonly #options: LineOptions;
  readonly #calls: RunCalls;
  readonly #startedAt = performance.now();
  readonly #whole: Required<Said> = { content: "", thinking: "", tool_calls: [], logprobs: [] };
  #firstAt: number | undefined;
  #usage: Usage | undefined;
  #reason = "stop";

  constructor(options: LineOptions) {
    this.#options = options;
    this.#calls = new RunCalls(options.clientTools);
  }

  take(event: ChatEvent): object[] {
    switch (event.type) {
      case "session":
        this.#calls.begin(event);
        return [];
      case "content_delta":
        return event.block
          ? logprobsIn(event).flatMap((logprobs) => this.#say({ logprobs }))
          : this.#say({ content: event.choices[0].delta.content });
      case "reasoning_delta": {
        const thinking = event.choices[0].delta.reasoning_content;
        return this.#options.showsThinking && thinking !== "" ? this.#say({ thinking }) : [];
      }
      case "tool_call_start":
        return this.#call(event);
      case "usage":
        this.#usage = event;
        return [];
      case "error":
        return [{ error: runFailure(event).publicMessage }];
      case "done":
        if (event.finishReason === "error") return [];
        this.#reason = event.finishReason === "length" ? "length" : "stop";
        return [this.#line({}, this.#end())];
      case "tool_result":
      case "tool_approval_required":
      case "reasoning_complete":
      case "warning":
        return [];
      default:
        return isDetail(event) ? [] : ignoreUnknown(event, []);
    }
  }

  /** The whole answer, after the run has ended. */
  body(): object {
    return this.#line(this.#whole, this.#end());
  }

  /** Writes a line for each part of the answer. */
  encoder(): StreamEncoder {
    const line = (one: object) => `${JSON.stringify(one)}\n`;
    return {
      encode: (events) =>
        events
          .flatMap(({ json }) => this.take(JSON.parse(json) as ChatEvent))
          .map(line)
          .join(""),
      end: () => "",
      heartbeat: line(this.#line({}, { done: false })),
      closing: line({ error: "The server is restarting. Try again in a few seconds." }),
      headers: NDJSON,
    };
  }

  #say(said: Said): object[] {
    this.#firstAt ??= performance.now();
    this.#whole.content += said.content ?? "";
    this.#whole.thinking += said.thinking ?? "";
    this.#whole.logprobs.push(...(said.logprobs ?? []));
    return [this.#line(said, { done: false })];
  }

  /** Hands over a call that the client has to run. Ours have run here. */
  #call(event: EventOf<"tool_call_start">): object[] {
    const { index, id } = this.#calls.number(event);
    const { toolName: name, arguments: args } = event;
    if (!this.#calls.isClientTool(name)) return [];
    const call = { id, function: { index, name, arguments: args ?? {} } };
    this.#whole.tool_calls.push(call);
    return [this.#line({ tool_calls: [call] }, { done: false })];
  }

  #line({ content = "", thinking, tool_calls: calls, logprobs = [] }: Said, given: object): object {
    const facts = { model: this.#options.model, created_at: new Date().toISOString() };
    const rest = logprobs.length > 0 ? { logprobs, ...given } : given;
    const more = {
      ...(thinking ? { thinking } : {}),
      ...(calls && calls.length > 0 ? { tool_calls: calls } : {}),
    };
    return this.#options.kind === "chat"
      ? { ...facts, message: { role: "assistant", content, ...more }, ...rest }
      : { ...facts, response: content, ...more, ...rest };
  }

  /** Durations are in nanoseconds. */
  #end() {
    const now = performance.now();
    const nanoseconds = (ms: number) => Math.round(ms * 1e6);
    const first = this.#firstAt ?? now;
    return {
      done: true,
      done_reason: this.#reason,
      total_duration: nanoseconds(now - this.#startedAt),
      load_duration: 0,
      prompt_eval_count: this.#usage?.inputTokens ?? 0,
      prompt_eval_duration: nanoseconds(first - this.#startedAt),
      eval_count: this.#usage?.outputTokens ?? 0,
      eval_duration: nanoseconds(now - first),
    };
  }
}
