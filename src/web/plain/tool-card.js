import { button, element, imageOf } from "./elements.js";

const STATUS_WORDS = {
  pending: "waiting",
  waiting: "needs your approval",
  running: "running",
  succeeded: "done",
  failed: "failed",
};

/** A call of a tool: what it is, how it goes, what it said. */
export class ToolCard {
  root = element("details", { class: "tool" });
  #state = element("span", { class: "state" });
  #output = element("pre", { tabindex: "0" });
  #progress = element("p", { class: "progress" });
  #approval = element("div", { class: "approval" });
  #decide;
  #toolCallId;

  constructor(call, decide) {
    this.#decide = decide;
    this.#toolCallId = call.toolCallId;
    const shown = shortly(call.arguments);
    this.root.append(
      element(
        "summary",
        {},
        element("span", { class: "name" }, call.toolName),
        element("span", { class: "arguments" }, shown),
        this.#state,
      ),
      element("pre", { tabindex: "0" }, JSON.stringify(call.arguments, null, 2) ?? ""),
      this.#progress,
      this.#approval,
      this.#output,
    );
    this.#progress.hidden = true;
    this.#output.hidden = true;
    this.#setStatus("pending");
  }

  add(event) {
    if (event.type === "tool_executing") this.#setStatus("running");
    if (event.type === "tool_approval_required") this.#askFor(event);
    if (event.type === "tool_progress") this.#showProgress(event);
    if (event.type === "tool_result") this.#finish(event, event.success);
    if (event.type === "image_complete") this.#showImage(event);
    if (event.type === "artifact_complete") this.#showOutput(event.artifactCode);
  }

  /** Shows a call from its folded state. */
  show(call) {
    if (call.status === "succeeded" || call.status === "failed")
      this.#finish(call, call.status === "succeeded");
    else this.#setStatus(call.status);
    if (call.image) this.#showImage(call.image);
  }

  #finish({ output, error, latencyMs, cached }, success) {
    this.#approval.replaceChildren();
    this.#progress.hidden = true;
    const took = cached ? "from cache" : duration(latencyMs);
    this.#setStatus(success ? "succeeded" : "failed", took);
    this.#showOutput(error?.message ?? output ?? "");
  }

  #askFor({ reason, preview }) {
    this.root.open = true;
    this.#setStatus("waiting");
    const answer = (decision) => async () => {
      for (const choice of this.#approval.querySelectorAll("button")) choice.disabled = true;
      const refusal = await this.#decide(this.#toolCallId, decision);
      if (refusal) this.#approval.replaceChildren(element("p", { class: "notice bad" }, refusal));
    };
    this.#approval.replaceChildren(
      element("p", {}, reason),
      preview ? element("pre", { tabindex: "0" }, preview) : "",
      button("Allow once", answer("once")),
      button("Always allow", answer("always"), { class: "quiet" }),
      button("Deny", answer("deny"), { class: "quiet" }),
    );
  }

  #showProgress({ message, chunk }) {
    this.#progress.hidden = false;
    this.#progress.textContent = message;
    if (!chunk) return;
    this.#output.hidden = false;
    this.#output.append(chunk);
  }

  #showOutput(text) {
    this.#output.hidden = text === "";
    this.#output.textContent = text;
  }

  #showImage(image) {
    const picture = imageOf(image);
    if (picture) this.root.after(picture);
  }

  #setStatus(status, more = "") {
    this.root.dataset.status = status;
    this.#state.textContent = [STATUS_WORDS[status], more].filter(Boolean).join(" · ");
  }
}

function shortly(value) {
  const text = Object.values(value ?? {})
    .map((part) => (typeof part === "string" ? part : JSON.stringify(part)))
    .join(", ");
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

function duration(ms = 0) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
