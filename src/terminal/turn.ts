import type { Chat, Decision } from "../protocol/chat.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import type { ChatRequest } from "../protocol/requests.ts";
import { type AllowRule, isAllowed } from "./allow.ts";
import { Approval, type ApprovalRequest } from "./approval.ts";
import { type Key, type KeyInput, readKeys } from "./keys.ts";
import { truncate } from "./lines.ts";
import type { Screen } from "./screen.ts";
import { TurnView } from "./turn-view.ts";
import { describeFailure, oneLine } from "./wording.ts";

export interface TurnOptions {
  chat: Chat;
  screen: Screen;
  /** The keyboard; without one nobody can be asked, and approvals are denied. */
  input: KeyInput | undefined;
  allow: AllowRule[];
  /** Where commands run, where that is on this machine. */
  directory: string | undefined;
  /** A line that was begun before and is typed on meanwhile. */
  begun: string;
}

export interface TurnEnd {
  sessionId: string | undefined;
  /** Whole lines that were typed meanwhile, and the one that was begun. */
  queued: string[];
  begun: string;
}

/** A turn from the question to the end, with the keyboard in between. */
export class Turn {
  readonly #options: TurnOptions;
  readonly #view: TurnView;
  readonly #abort = new AbortController();
  readonly #approvals: Approval[] = [];
  readonly #queued: string[] = [];
  #begun: string;
  #runId: string | undefined;
  #sessionId: string | undefined;
  #interrupts = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#begun = options.begun;
    this.#view = new TurnView(options.screen);
  }

  /** Asks, and shows the answer. Whatever goes wrong is shown, not thrown. */
  async ask(request: ChatRequest): Promise<TurnEnd> {
    return this.#attended(async () => {
      const { signal } = this.#abort;
      const started = await this.#options.chat.send(request, { signal });
      this.#sessionId = started.sessionId;
      await this.#follow(started.runId);
    });
  }

  /** Shows a run that is going on already. */
  async join(runId: string, sessionId: string): Promise<TurnEnd> {
    this.#sessionId = sessionId;
    return this.#attended(() => this.#follow(runId));
  }

  async #follow(runId: string): Promise<void> {
    this.#runId = runId;
    if (this.#interrupts > 0) this.#cancel();
    for await (const { event } of this.#options.chat.follow(runId, { signal: this.#abort.signal })) {
      this.#view.apply(event);
      if (event.type === "tool_approval_required") this.#request(event);
      if (event.type === "tool_result") this.#withdraw(event.toolCallId);
    }
    // Some chats end silently when the signal aborts, others throw: the person reads the same.
    if (this.#abort.signal.aborted) throw new Failure("CANCELLED", "Stopped.");
  }

  async #attended(work: () => Promise<void>): Promise<TurnEnd> {
    const { input, screen } = this.#options;
    const stopKeys = input ? readKeys(input, (key) => this.#press(key)) : undefined;
    const onSignal = () => this.#interrupt();
    const showCursor = () => screen.showCursor(true);
    process.on("SIGINT", onSignal);
    process.on("exit", showCursor);
    screen.showCursor(false);
    this.#view.footer = () => this.#footer();
    try {
      await work();
    } catch (thrown) {
      const failure = toFailure(thrown);
      if (failure.code === "CANCELLED") this.#view.note("Stopped.", "yellow");
      else this.#view.note(`✗ ${describeFailure(failure)}`, "red");
    } finally {
      this.#view.end();
      showCursor();
      process.off("SIGINT", onSignal);
      process.off("exit", showCursor);
      stopKeys?.();
    }
    // What was meant to follow the answer is not sent after one that was stopped: it goes back to the prompt.
    if (this.#interrupts === 0) {
      return { sessionId: this.#sessionId, queued: this.#queued, begun: this.#begun };
    }
    const begun = [...this.#queued, this.#begun].filter((line) => line !== "").join(" ");
    return { sessionId: this.#sessionId, queued: [], begun };
  }

  #press(key: Key): void {
    const approval = this.#asking();
    if (key.type === "interrupt" || key.type === "escape") this.#interrupt();
    else if (approval) this.#answer(approval, key);
    else this.#type(key);
    this.#view.draw();
  }

  /** The question that the keys answer. While a line is begun, its letters must not be taken for an answer. */
  #asking(): Approval | undefined {
    return this.#begun === "" ? this.#approvals[0] : undefined;
  }

  #type(key: Key): void {
    if (key.type === "text") this.#begun += key.text;
    if (key.type === "backspace") this.#begun = Array.from(this.#begun).slice(0, -1).join("");
    if (key.type === "erase") this.#begun = "";
    if (key.type === "enter" && this.#begun.trim() !== "") {
      this.#queued.push(this.#begun);
      this.#begun = "";
    }
  }

  #answer(approval: Approval, key: Key): void {
    const answer = approval.press(key);
    if (answer === undefined) return;
    if (answer === "other") {
      // Somebody is typing: the letters that follow belong to the line that this one begins.
      this.#type(key);
      return;
    }
    if (answer === "explain") {
      this.#view.show(approval.explanation());
      return;
    }
    const words = { once: "Allowed once.", always: "Allowed from now on.", deny: "Denied." };
    this.#view.note(`  ${words[answer.decision]}`, "dim");
    this.#decide(approval.request, answer);
    this.#withdraw(approval.request.toolCallId);
  }

  #request(request: ApprovalRequest): void {
    const name = oneLine(request.toolName);
    if (isAllowed(this.#options.allow, request)) {
      this.#view.note(`  ${name} is allowed by --allow-tool.`, "dim");
      this.#decide(request, { decision: "once" });
    } else if (!this.#options.input) {
      this.#view.note(`  ${name} needs an approval, and there is no keyboard to ask at: denied.`, "yellow");
      this.#decide(request, { decision: "deny", note: "Nobody could be asked." });
    } else {
      this.#approvals.push(new Approval(request, this.#options.screen));
      if (this.#approvals.length === 1) this.#showQuestion();
    }
  }

  #withdraw(toolCallId: string): void {
    const at = this.#approvals.findIndex(({ request }) => request.toolCallId === toolCallId);
    if (at === -1) return;
    this.#approvals.splice(at, 1);
    if (at === 0) this.#showQuestion();
  }

  #showQuestion(): void {
    const [approval] = this.#approvals;
    if (approval) this.#view.show(approval.lines(this.#options.directory));
    this.#view.draw();
  }

  #decide(request: ApprovalRequest, decision: Decision): void {
    const runId = this.#runId;
    if (runId === undefined) return;
    const { toolCallId, argumentsHash } = request;
    this.#options.chat.decide(runId, toolCallId, { ...decision, argumentsHash }).catch((thrown: unknown) => {
      this.#view.note(`✗ ${describeFailure(toFailure(thrown))}`, "red");
    });
  }

  /** The first time it asks the run to stop and waits for its end; the second time it waits no longer. */
  #interrupt(): void {
    this.#interrupts++;
    if (this.#interrupts > 1) {
      this.#abort.abort();
      return;
    }
    this.#view.notice = "Stopping …";
    this.#cancel();
    this.#view.draw();
  }

  #cancel(): void {
    if (this.#runId === undefined) return;
    this.#options.chat.cancel(this.#runId).catch((thrown: unknown) => {
      this.#view.note(`✗ ${describeFailure(toFailure(thrown))}`, "red");
    });
  }

  #footer(): string[] {
    const { columns, paint } = this.#options.screen;
    const lines = this.#queued.map((line) => paint("dim", truncate(`  next: ${line}`, columns)));
    const [approval] = this.#approvals;
    if (approval && this.#begun !== "")
      lines.push(paint("yellow", "  Press Enter to answer the question above."));
    if (this.#begun !== "") lines.push(`${paint("cyan", "›")} ${truncate(this.#begun, columns - 3)}▏`);
    else if (approval) lines.push(approval.question());
    return lines;
  }
}
