import type { Chat, Decision, SendOptions } from "../protocol/chat.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import type { RunState } from "../protocol/reduce.ts";
import type { ChatRequest } from "../protocol/requests.ts";
import { isAllowed } from "./allow.ts";
import type { AllowRule } from "./allow-rule.ts";
import { Approval, type ApprovalRequest } from "./approval.ts";
import { type AskedQuestion, answerFrom, questionHint, questionLines } from "./asked.ts";
import type { Key } from "./keys.ts";
import { wrap } from "./lines.ts";
import type { Screen } from "./screen.ts";
import { TurnView } from "./turn-view.ts";
import { describeFailure, oneLine } from "./wording.ts";

/** How long a new question is on the screen before a key may decide several at once. */
const READING_MS = 300;

export interface TurnOptions {
  chat: Chat;
  screen: Screen;
  /** Whether there is a keyboard. Without one, approvals are denied. */
  attended: boolean;
  allow: AllowRule[];
  /** Where commands run, if that is on this machine. */
  directory: string | undefined;
  /** Called with the id of each message that was sent into the run, where it took effect. */
  onTaken(messageId: string): void;
}

/** How a turn ended. */
export interface TurnEnd {
  sessionId: string | undefined;
  state: RunState;
  /** The person stopped it. */
  stopped: boolean;
}

/** Runs a turn: shows the answer, and decides what keys mean for the questions in it. */
export class Turn {
  readonly view: TurnView;
  readonly #options: TurnOptions;
  readonly #abort = new AbortController();
  readonly #approvals: Approval[] = [];
  /** Questions that wait for an answer, which is typed at the prompt. */
  #asked: AskedQuestion[] = [];
  /** The approvals are decided one by one, not all at once. */
  #apart = false;
  #newestApproval = 0;
  #runId: string | undefined;
  #sessionId: string | undefined;
  #interrupts = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.view = new TurnView(options.screen);
  }

  get runId(): string | undefined {
    return this.#runId;
  }

  get interrupted(): boolean {
    return this.#interrupts > 0;
  }

  /** Sends a request and shows the answer. Errors are shown, not thrown. */
  async ask(request: ChatRequest, options: SendOptions): Promise<TurnEnd> {
    return this.#shown(async () => {
      const { signal } = this.#abort;
      const nobody = this.#options.attended ? {} : { attended: false };
      const started = await this.#options.chat.send({ ...request, ...nobody }, { ...options, signal });
      this.#sessionId = started.sessionId;
      await this.#follow(started.runId);
    });
  }

  /** Shows a run that is already in progress. */
  async join(runId: string, sessionId: string): Promise<TurnEnd> {
    this.#sessionId = sessionId;
    return this.#shown(() => this.#follow(runId));
  }

  async #follow(runId: string): Promise<void> {
    this.#runId = runId;
    if (this.#interrupts > 0) this.#cancel();
    const onConnection = (state: "lost" | "back") => this.view.noteConnection(state);
    const { signal } = this.#abort;
    for await (const { event } of this.#options.chat.follow(runId, { signal, onConnection })) {
      this.view.apply(event);
      if (event.type === "session") this.#approvals.length = this.#asked.length = 0;
      if (event.type === "question_required") this.#ask(event);
      if (event.type === "question_answered" || event.type === "tool_result")
        this.#asked = this.#asked.filter(({ toolCallId }) => toolCallId !== event.toolCallId);
      if (event.type === "tool_approval_required") this.#request(event);
      if (event.type === "user_message") this.#options.onTaken(event.messageId);
      // Another terminal or browser may have decided.
      if (event.type === "tool_result" || event.type === "tool_executing") this.#withdraw(event.toolCallId);
    }
    // Some chats end silently when the signal aborts, others throw. Show the same in both cases.
    if (this.#abort.signal.aborted) throw new Failure("CANCELLED", "Stopped.");
  }

  async #shown(work: () => Promise<void>): Promise<TurnEnd> {
    const onSignal = () => this.interrupt();
    process.on("SIGINT", onSignal);
    this.view.draw();
    try {
      await work();
    } catch (thrown) {
      const failure = toFailure(thrown);
      if (failure.code === "CANCELLED") this.view.note("Stopped.", "yellow");
      else this.view.note(`✗ ${describeFailure(failure)}`, "red");
    } finally {
      this.#approvals.length = this.#asked.length = 0;
      this.view.end();
      process.off("SIGINT", onSignal);
    }
    return { sessionId: this.#sessionId, state: this.view.state, stopped: this.interrupted };
  }

  /** Obeys a key that decides about a call. Returns false if the key belongs to the prompt. */
  press(key: Key): boolean {
    const asking = this.#apart ? this.#approvals.slice(0, 1) : [...this.#approvals];
    const [first] = asking;
    if (!first) return false;
    // A key for the first call must not decide about another one that has just appeared.
    if (asking.length > 1 && Date.now() - this.#newestApproval < READING_MS) return true;
    const answer = first.press(key, asking.length);
    if (answer === undefined) return true;
    if (answer === "other") return false;
    if (answer === "explain") this.view.show(asking.flatMap((approval) => approval.explanation()));
    else if (answer === "apart") {
      this.#apart = true;
      this.#show(first);
    } else {
      const notes = { once: "Allowed once.", always: "Always allowed.", deny: "Denied." };
      this.view.note(`  ${notes[answer.decision]}`, "dim");
      for (const { request } of asking) this.#decide(request, answer);
      for (const { request } of asking) this.#withdraw(request.toolCallId);
    }
    this.view.draw();
    return true;
  }

  /** Takes a typed line as the answer to the question that waits. Returns false if none does. */
  answer(line: string): boolean {
    const question = this.#asked.shift();
    const runId = this.#runId;
    if (!question || runId === undefined) return false;
    const answer = answerFrom(question, line);
    this.view.note(`  ${[answer].flat().join(", ")}`, "dim");
    this.#options.chat.answer(runId, question.toolCallId, answer).catch((thrown: unknown) => {
      this.view.note(`✗ ${describeFailure(toFailure(thrown))}`, "red");
    });
    this.view.draw();
    return true;
  }

  /** The question that waits, above the prompt. `typing`: the keys go to the prompt. */
  question(typing: boolean): string[] {
    const [approval] = this.#approvals;
    const { paint, columns } = this.#options.screen;
    const [asked] = this.#asked;
    if (!approval && !asked) return [];
    const shown = (hint: string) =>
      wrap([{ text: hint, format: "yellow" }], columns - 2, paint).map((line) => `  ${line}`);
    if (!approval) return asked ? shown(questionHint(asked)) : [];
    if (typing) return shown("Send or clear the line, then answer the question above.");
    return approval.question(this.#apart ? 1 : this.#approvals.length);
  }

  /** The first interrupt stops the run and waits for its end. The second one does not wait. */
  interrupt(): void {
    this.#interrupts++;
    if (this.#interrupts > 1) {
      this.#abort.abort();
      return;
    }
    this.view.notice = "Stopping …";
    this.#cancel();
    this.view.draw();
  }

  #request(request: ApprovalRequest): void {
    const name = oneLine(request.toolName);
    if (isAllowed(this.#options.allow, request)) {
      this.view.note(`  ${name} is allowed by --allow-tool.`, "dim");
      this.view.unasked.add(request.toolCallId);
      this.#decide(request, { decision: "once" });
    } else if (!this.#options.attended) {
      this.view.note(`  ${name} needs an approval and was denied, because there is no keyboard.`, "yellow");
      this.#decide(request, { decision: "deny", note: "Nobody was available to approve it." });
    } else {
      const approval = new Approval(request, this.#options.screen);
      this.#approvals.push(approval);
      this.#newestApproval = Date.now();
      if (!this.#apart) this.#show(approval);
    }
  }

  #ask(question: AskedQuestion): void {
    this.#asked.push(question);
    this.view.show(questionLines(question, this.#options.screen));
    this.view.draw();
  }

  #withdraw(toolCallId: string): void {
    const at = this.#approvals.findIndex(({ request }) => request.toolCallId === toolCallId);
    if (at === -1) return;
    this.#approvals.splice(at, 1);
    const [next] = this.#approvals;
    if (!next) this.#apart = false;
    if (next && this.#apart && at === 0) this.#show(next);
    this.view.draw();
  }

  #show(approval: Approval): void {
    this.view.show(approval.lines(this.#options.directory));
    this.view.draw();
  }

  #decide(request: ApprovalRequest, decision: Decision): void {
    const runId = this.#runId;
    if (runId === undefined) return;
    const { toolCallId, argumentsHash } = request;
    this.#options.chat.decide(runId, toolCallId, { ...decision, argumentsHash }).catch((thrown: unknown) => {
      this.view.note(`✗ ${describeFailure(toFailure(thrown))}`, "red");
    });
  }

  #cancel(): void {
    if (this.#runId === undefined) return;
    this.#options.chat.cancel(this.#runId).catch((thrown: unknown) => {
      this.view.note(`✗ ${describeFailure(toFailure(thrown))}`, "red");
    });
  }
}
