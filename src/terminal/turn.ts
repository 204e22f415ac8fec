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

/** How long a new question is on the screen before a key may decide several at once. */
const READING_MS = 300;

export interface TurnOptions {
  chat: Chat;
  screen: Screen;
  /** The keyboard. Without one, approvals are denied. */
  input: KeyInput | undefined;
  allow: AllowRule[];
  /** Where commands run, if that is on this machine. */
  directory: string | undefined;
  /** The line that the user has started to type. */
  draft: string;
}

export interface TurnEnd {
  sessionId: string | undefined;
  /** Lines that were entered during the turn, and the unfinished one. */
  queued: string[];
  draft: string;
}

/** Runs a turn: shows the answer and handles the keyboard meanwhile. */
export class Turn {
  readonly #options: TurnOptions;
  readonly #view: TurnView;
  readonly #abort = new AbortController();
  readonly #approvals: Approval[] = [];
  /** The approvals are decided one by one, not all at once. */
  #apart = false;
  #newestApproval = 0;
  readonly #queued: string[] = [];
  #draft: string;
  #runId: string | undefined;
  #sessionId: string | undefined;
  #interrupts = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#draft = options.draft;
    this.#view = new TurnView(options.screen);
  }

  /** Sends a request and shows the answer. Errors are shown, not thrown. */
  async ask(request: ChatRequest): Promise<TurnEnd> {
    return this.#attended(async () => {
      const { signal } = this.#abort;
      const started = await this.#options.chat.send(request, { signal });
      this.#sessionId = started.sessionId;
      await this.#follow(started.runId);
    });
  }

  /** Shows a run that is already in progress. */
  async join(runId: string, sessionId: string): Promise<TurnEnd> {
    this.#sessionId = sessionId;
    return this.#attended(() => this.#follow(runId));
  }

  async #follow(runId: string): Promise<void> {
    this.#runId = runId;
    if (this.#interrupts > 0) this.#cancel();
    for await (const { event } of this.#options.chat.follow(runId, { signal: this.#abort.signal })) {
      this.#view.apply(event);
      if (event.type === "session") this.#approvals.length = 0;
      if (event.type === "tool_approval_required") this.#request(event);
      // Another terminal or browser may have decided.
      if (event.type === "tool_result" || event.type === "tool_executing") this.#withdraw(event.toolCallId);
    }
    // Some chats end silently when the signal aborts, others throw. Show the same in both cases.
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
    // After a stopped answer, queued messages are not sent. They go back to the prompt.
    if (this.#interrupts === 0) {
      return { sessionId: this.#sessionId, queued: this.#queued, draft: this.#draft };
    }
    const draft = [...this.#queued, this.#draft].filter((line) => line !== "").join(" ");
    return { sessionId: this.#sessionId, queued: [], draft };
  }

  #press(key: Key): void {
    const asking = this.#asking();
    const [approval] = asking;
    if (key.type === "interrupt" || key.type === "escape") this.#interrupt();
    else if (approval) this.#answer(asking, approval, key);
    else this.#type(key);
    this.#view.draw();
  }

  /** The approvals that the keys decide. Letters of a draft must not count as a decision. */
  #asking(): Approval[] {
    if (this.#draft !== "") return [];
    return this.#apart ? this.#approvals.slice(0, 1) : [...this.#approvals];
  }

  #type(key: Key): void {
    if (key.type === "text") this.#draft += key.text;
    if (key.type === "backspace") this.#draft = Array.from(this.#draft).slice(0, -1).join("");
    if (key.type === "erase") this.#draft = "";
    if (key.type === "enter" && this.#draft.trim() !== "") {
      this.#queued.push(this.#draft);
      this.#draft = "";
    }
  }

  #answer(asking: readonly Approval[], first: Approval, key: Key): void {
    // A key for the first call must not decide about another one that has just appeared.
    if (asking.length > 1 && Date.now() - this.#newestApproval < READING_MS) return;
    const answer = first.press(key, asking.length);
    if (answer === undefined) return;
    if (answer === "other") {
      // The user is typing a message: the next letters belong to it.
      this.#type(key);
      return;
    }
    if (answer === "explain") {
      this.#view.show(asking.flatMap((approval) => approval.explanation()));
      return;
    }
    if (answer === "apart") {
      this.#apart = true;
      this.#show(first);
      return;
    }
    const notes = { once: "Allowed once.", always: "Always allowed.", deny: "Denied." };
    this.#view.note(`  ${notes[answer.decision]}`, "dim");
    for (const { request } of asking) this.#decide(request, answer);
    for (const { request } of asking) this.#withdraw(request.toolCallId);
  }

  #request(request: ApprovalRequest): void {
    const name = oneLine(request.toolName);
    if (isAllowed(this.#options.allow, request)) {
      this.#view.note(`  ${name} is allowed by --allow-tool.`, "dim");
      this.#decide(request, { decision: "once" });
    } else if (!this.#options.input) {
      this.#view.note(`  ${name} needs an approval and was denied, because there is no keyboard.`, "yellow");
      this.#decide(request, { decision: "deny", note: "Nobody was available to approve it." });
    } else {
      const approval = new Approval(request, this.#options.screen);
      this.#approvals.push(approval);
      this.#newestApproval = Date.now();
      if (!this.#apart) this.#show(approval);
    }
  }

  #withdraw(toolCallId: string): void {
    const at = this.#approvals.findIndex(({ request }) => request.toolCallId === toolCallId);
    if (at === -1) return;
    this.#approvals.splice(at, 1);
    const [next] = this.#approvals;
    if (!next) this.#apart = false;
    if (next && this.#apart && at === 0) this.#show(next);
    this.#view.draw();
  }

  #show(approval: Approval): void {
    this.#view.show(approval.lines(this.#options.directory));
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

  /** The first interrupt stops the run and waits for its end. The second one does not wait. */
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
    const count = this.#apart ? 1 : this.#approvals.length;
    if (approval && this.#draft !== "")
      lines.push(paint("yellow", "  Press Enter to answer the question above."));
    if (this.#draft !== "") lines.push(`${paint("cyan", "›")} ${truncate(this.#draft, columns - 3)}▏`);
    else if (approval) lines.push(approval.question(count));
    return lines;
  }
}
