import { element, imageOf } from "./elements.js";
import { markdown, settledLength } from "./markdown.js";
import { ToolCard } from "./tool-card.js";

/** One answer as it comes: text, reasoning and calls in the order in which they came. */
export class Answer {
  root = element("article", { class: "answer" });
  #status = element("p", { class: "status" }, "Thinking…");
  #cards = new Map();
  #text;
  #reasoning;
  #decide;

  constructor(decide) {
    this.#decide = decide;
    this.root.append(this.#status);
  }

  /** Shows one more event. */
  add(event) {
    switch (event.type) {
      case "content_delta":
        return this.#addText(event.choices[0].delta.content);
      case "reasoning_delta":
        return this.#addReasoning(event.choices[0].delta.reasoning_content);
      case "reasoning_complete":
        return this.#endReasoning(event.durationMs);
      case "reasoning_status":
        return this.#say(event.content);
      case "retry_status":
        return this.#say(`${event.reason} Trying again (${event.attempt} of ${event.maxRetries})…`);
      case "tool_call_start":
        return this.#addCall(event);
      case "warning":
        return this.#append(element("p", { class: "notice" }, event.message));
      case "error":
        return this.fail(event.error);
      case "done":
        return this.end(event.finishReason);
      default:
        if (this.#cards.has(event.toolCallId)) this.#cards.get(event.toolCallId).add(event);
        else if (event.type === "image_complete") this.#addImage(event);
    }
  }

  /** Shows a whole answer from its folded state. */
  show(state) {
    for (const block of state.blocks) {
      if (block.type === "text") this.#addText(block.text);
      else if (block.type === "reasoning") {
        this.#addReasoning(block.reasoning.text);
        this.#endReasoning(block.reasoning.durationMs);
      } else this.#addCall(block.call).show(block.call);
    }
    for (const image of state.images ?? []) this.#addImage(image);
    for (const { message } of state.warnings ?? []) this.#append(element("p", { class: "notice" }, message));
    if (state.error) this.fail(state.error.error);
    this.end(state.finishReason);
  }

  /** Shows a sentence about what went wrong. */
  fail(sentence) {
    this.#append(element("p", { class: "notice bad", role: "alert" }, sentence));
  }

  end(finishReason) {
    this.#text?.flush();
    this.#endReasoning();
    this.#status.remove();
    const sentence = ENDINGS[finishReason];
    if (sentence) this.#append(element("p", { class: "notice" }, sentence));
  }

  /** An image that the model itself made. */
  #addImage(image) {
    const picture = imageOf(image);
    if (picture) this.#append(picture);
  }

  #addText(text) {
    this.#status.remove();
    this.#endReasoning();
    if (!this.#text) {
      this.#text = new GrowingText();
      this.#append(this.#text.root, true);
    }
    this.#text.add(text);
  }

  #addReasoning(text) {
    if (!this.#reasoning) {
      const words = element("div", { class: "words" });
      const summary = element("summary", {}, "Reasoning…");
      this.#reasoning = { words, summary };
      this.#append(element("details", { class: "reasoning" }, summary, words));
    }
    this.#reasoning.words.append(text);
  }

  #endReasoning(durationMs) {
    if (!this.#reasoning) return;
    const seconds = Math.round((durationMs ?? 0) / 1000);
    this.#reasoning.summary.textContent = seconds > 0 ? `Reasoned for ${seconds} s` : "Reasoning";
    this.#reasoning = undefined;
  }

  #addCall(call) {
    this.#endReasoning();
    const card = new ToolCard(call, this.#decide);
    this.#cards.set(call.toolCallId, card);
    this.#append(card.root);
    return card;
  }

  #say(sentence) {
    this.#status.textContent = sentence;
    this.root.append(this.#status);
  }

  #append(node, keepsText = false) {
    this.#text?.flush();
    if (!keepsText) this.#text = undefined;
    this.root.append(node);
    if (this.#status.isConnected) this.root.append(this.#status);
  }
}

const ENDINGS = {
  cancelled: "Stopped.",
  length: "The answer reached its greatest length. Ask to continue.",
  tool_limit: "The limit of tool calls for one request is reached. Ask to continue.",
  iteration_limit: "The limit of steps for one request is reached. Ask to continue.",
  content_filter: "The model's provider held the rest of this answer back.",
};

/** Text that grows: what is settled is laid out once, only the tail again with each frame. */
class GrowingText {
  root = element("div", { class: "text" });
  #tail = element("div", { class: "tail" });
  #waiting = "";
  #frame;

  constructor() {
    this.root.append(this.#tail);
  }

  add(text) {
    this.#waiting += text;
    this.#frame ??= requestAnimationFrame(() => this.flush());
  }

  flush() {
    cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    const settled = settledLength(this.#waiting);
    if (settled > 0) this.#tail.before(...markdown(this.#waiting.slice(0, settled)));
    this.#waiting = this.#waiting.slice(settled);
    this.#tail.replaceChildren(...markdown(this.#waiting));
  }
}
