import type { ChatEvent } from "../../../protocol/events.ts";
import type { Json } from "../../../protocol/json.ts";
import { emptyRun, reduce } from "../../../protocol/reduce.ts";
import { type CalledTool, type OpenAiCall, RunCalls, type ToolOutput } from "./calls.ts";
import { completionUsage, conversationOf, FINGERPRINT, finishOf } from "./completion.ts";
import { completionId } from "./ids.ts";
import { logprobsIn } from "./logprobs.ts";
import { AnswerImages, imageParts } from "./shown-images.ts";
import { beginsRefusal, pagesCited } from "./sources.ts";

type BareCall = OpenAiCall extends infer Call ? Omit<Call, "index"> : never;

/** A text, call or result of an answer. */
export type ToolEvent =
  | { type: "text"; value: string }
  | { type: "tool_call"; value: BareCall }
  | { type: "tool_output"; value: ToolOutput };

/** Builds one chat completion from a run. Takes each event once, in order. */
export class ChatCompletion {
  readonly #created: number;
  readonly #calls: RunCalls;
  readonly #events: ToolEvent[] = [];
  /** Calls that the client has to run. */
  readonly #handedOver: BareCall[] = [];
  readonly #logprobs: Json[] = [];
  readonly #annotations: Json[] = [];
  readonly #shown = new AnswerImages();
  readonly #images: Json[] = [];
  /** What the model says to refuse, at the end of its text. */
  #refusal: string | undefined;
  #state = emptyRun();

  constructor({ created, clientTools }: { created: number; clientTools: readonly CalledTool[] }) {
    this.#created = created;
    this.#calls = new RunCalls(clientTools);
  }

  take(event: ChatEvent): void {
    this.#state = reduce(this.#state, event);
    this.#shown.note(event);
    if (event.type === "session") this.#calls.begin(event);
    if (event.type === "image_complete" && this.#shown.has(event)) this.#images.push(...imageParts(event));
    if (event.type === "content_delta") {
      const { content } = event.choices[0].delta;
      if (!event.block) this.#addText(content);
      if (this.#refusal !== undefined) this.#refusal += content;
      else if (beginsRefusal(event)) this.#refusal = "";
      this.#logprobs.push(...logprobsIn(event).flat());
      this.#annotations.push(...pagesCited(event));
    }
    if (event.type === "tool_call_start") {
      const { index: _, ...call } = this.#calls.add(event);
      this.#events.push({ type: "tool_call", value: call });
      if (this.#calls.isClientTool(event.toolName)) this.#handedOver.push(call);
    }
    if (event.type === "tool_result") {
      const value = this.#calls.output(event);
      if (value) this.#events.push({ type: "tool_output", value });
    }
  }

  /** The completion, after the run has ended. */
  body(): Record<string, unknown> {
    const calls = this.#handedOver;
    const content = this.#logprobs;
    const { text, runId, model, finishReason = "error", usage, blocks } = this.#state;
    const reasoning = blocks
      .map((block) => (block.type === "reasoning" ? block.reasoning.text : ""))
      .join("");
    const { length = 0 } = this.#refusal ?? "";
    const said = text.slice(0, text.length - length);
    const message = {
      role: "assistant",
      content: said === "" && (calls.length > 0 || length > 0) ? null : said,
      refusal: this.#refusal || null,
      annotations: this.#annotations,
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(this.#images.length === 0 ? {} : { images: this.#images }),
    };
    return {
      id: completionId(runId),
      object: "chat.completion",
      created: this.#created,
      model,
      choices: [
        {
          index: 0,
          message,
          logprobs: content.length > 0 ? { content, refusal: null } : null,
          ...finishOf(finishReason, length > 0),
        },
      ],
      usage: completionUsage(usage),
      system_fingerprint: FINGERPRINT,
      tool_events: this.#events,
      conversation: runId === "" ? undefined : conversationOf(this.#state),
    };
  }

  #addText(text: string): void {
    const last = this.#events.at(-1);
    if (last?.type === "text") last.value += text;
    else this.#events.push({ type: "text", value: text });
  }
}
