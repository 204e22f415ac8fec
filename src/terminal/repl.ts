import type { Chat } from "../protocol/chat.ts";
import { toFailure } from "../protocol/failure.ts";
import type { Session } from "../protocol/sessions.ts";
import { RunningCommands } from "./background-commands.ts";
import { completionAt, fileLister } from "./completions.ts";
import { Confirmation } from "./confirmation.ts";
import { createHistory, type PromptHistory } from "./history.ts";
import { Keyboard, readLines } from "./keyboard.ts";
import type { Key, KeyInput } from "./keys.ts";
import { Known, loadCommands } from "./known.ts";
import { Leaving } from "./leaving.ts";
import { imagePath, type Outgoing, prepared } from "./outgoing.ts";
import { saidLines, titleLines, unsentWords } from "./output-lines.ts";
import { Prompt, type PromptAction, type TypedMessage } from "./prompt.ts";
import type { ReplOptions } from "./repl-options.ts";
import { Rewind } from "./rewind.ts";
import { type Footer, Screen } from "./screen.ts";
import { type ShownUsage, statusLine, usedIn } from "./status-line.ts";
import { askTrust } from "./trust.ts";
import type { Turn, TurnEnd } from "./turn.ts";
import { Waiting } from "./waiting.ts";
import { describeFailure } from "./wording.ts";

/** Chats at the terminal until the user leaves. Returns the exit code. */
export async function startRepl(chat: Chat, options: ReplOptions = {}): Promise<number> {
  return new Conversation(chat, options).run();
}

/** The state that the prompt and its commands work on. */
export class Conversation {
  readonly chat: Chat;
  readonly screen: Screen;
  readonly options: ReplOptions;
  sessionId: string | undefined;
  /** The model that the person chose, if any. */
  model: string | undefined;
  /** What the newest answer used, and what all of them cost. */
  usage: ShownUsage | undefined;
  costUsd = 0;
  /** What commands of the person printed since the last message. The next message takes it along. */
  readonly printed: string[] = [];
  readonly known: Known;
  readonly running: RunningCommands;
  readonly #input: KeyInput;
  readonly #output: NodeJS.WriteStream;
  readonly #history: PromptHistory;
  readonly #prompt: Prompt;
  readonly #keyboard: Keyboard;
  readonly #waiting = new Waiting();
  readonly #confirmation = new Confirmation();
  readonly #leaving = new Leaving(() => this.screen.draw());
  readonly #rewind = new Rewind(() => this.screen.draw());
  #turn: Turn | undefined;
  #lastTurn: Turn | undefined;
  /** What Esc stops, if that is not a turn. */
  #stop: AbortController | undefined;
  #busy = false;
  #trustAsked = false;

  constructor(chat: Chat, options: ReplOptions) {
    this.chat = chat;
    this.options = options;
    this.#input = options.input ?? process.stdin;
    this.#output = options.output ?? process.stdout;
    this.screen = new Screen(this.#output);
    this.known = new Known(chat, () => options.ownCommands?.(this.folder));
    this.running = new RunningCommands(chat, () => this.screen.draw());
    this.model = options.model;
    this.#history = options.history ?? createHistory();
    this.#keyboard = new Keyboard(this.#input, this.#output, (key) => this.#press(key));
    const files = fileLister(this.folder, () => {
      this.#prompt.refresh();
      this.screen.draw();
    });
    this.#prompt = new Prompt({
      history: this.#history,
      paint: this.screen.paint,
      complete: (text, cursor) => completionAt(text, cursor, this.known.commands, files),
      imageAt: (text) => imagePath(text, this.folder),
    });
  }

  /** Where the person is. */
  get folder(): string {
    return this.options.directory ?? process.cwd();
  }

  get attended(): boolean {
    return this.#input.isTTY === true && this.screen.live;
  }

  /** Whether an answer is being written. */
  get answering(): boolean {
    return this.#turn !== undefined;
  }

  async run(): Promise<number> {
    if (this.screen.live) this.screen.print(...titleLines(this.options.version, this.screen));
    if (this.attended) this.#openKeyboard();
    try {
      this.#busy = true;
      await this.#begin();
    } catch (thrown) {
      this.showFailure(thrown);
      this.#closeKeyboard();
      return 1;
    }
    void this.known.learn(() => this.screen.draw());
    await this.#takeAll(
      this.options.message === undefined ? [] : [{ text: this.options.message, images: [] }],
    );
    if (this.attended) await this.#leaving.left;
    else await readLines(this.#input, async (text) => (await this.#take({ text, images: [] })) !== "leave");
    if (this.printed.length > 0) this.screen.say(unsentWords(this.printed.length));
    this.#closeKeyboard();
    await this.#history.settled();
    return 0;
  }

  /** Continues a session: shows its last messages and follows its active run. */
  async resume(session: Session): Promise<void> {
    const { showPast } = await import("./past-messages.ts");
    this.sessionId = session.id;
    this.#rewind.forget();
    const messages = await this.chat.messages(session.id);
    showPast(session, messages, this.screen);
    Object.assign(this, usedIn(messages));
    if (this.attended) void this.running.look(session.id);
    if (session.activeRunId) await this.#follow(session.activeRunId);
  }

  /** Answers a question again. The previous answer stays. */
  regenerate(messageId: string): Promise<void> {
    return this.#ask({ regenerate: messageId });
  }

  /** Starts a new conversation with the next message. */
  startNew(): void {
    this.sessionId = undefined;
    this.#rewind.forget();
    void this.running.look(undefined);
    this.usage = undefined;
    this.costUsd = 0;
  }

  /** Asks a question that y answers with yes, and every other key with no. */
  async confirm(text: string): Promise<boolean> {
    if (!this.attended) return false;
    const answer = this.#confirmation.ask(text);
    this.screen.draw();
    return answer;
  }

  /** Does work that Esc stops. */
  async stoppable<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const stop = new AbortController();
    this.#stop = stop;
    try {
      return await work(stop.signal);
    } finally {
      if (this.#stop === stop) this.#stop = undefined;
    }
  }

  /** Sends a message, and shows the answer. */
  async send(message: TypedMessage): Promise<void> {
    const text = [...this.printed, message.text].join("\n\n");
    const limited = this.options.directory === undefined;
    const typed = { ...message, text };
    const asked = await prepared(this.chat, typed, this.folder, limited, this.#rewind.place);
    this.printed.length = 0;
    this.#rewind.forget();
    await this.#ask(asked);
  }

  showFailure(thrown: unknown): void {
    this.screen.say(`✗ ${describeFailure(toFailure(thrown))}`, "red");
  }

  async #begin(): Promise<void> {
    const { resume } = this.options;
    if (resume === undefined) return;
    const { sessionToContinue } = await import("./past-messages.ts");
    const session = await sessionToContinue(this.chat, resume, this.folder, this.screen);
    if (session) await this.resume(session);
  }

  #openKeyboard(): void {
    // Before the prompt is seen, so that the terminal passes on every key as it is.
    this.#keyboard.take();
    this.screen.footer = (rows) => this.#footer(rows);
    this.options.opening?.catch(() => this.#closeKeyboard());
    // Also when a signal ends the process.
    process.once("exit", () => this.#closeKeyboard());
    this.#output.on("resize", () => this.screen.draw());
  }

  #closeKeyboard(): void {
    if (this.attended) this.screen.close();
    this.#keyboard.giveBack();
  }

  #footer(rows: number): Footer {
    const { columns, paint } = this.screen;
    const above = [
      ...this.running.lines(this.screen),
      ...this.#waiting.lines(this.screen),
      ...this.#confirmation.lines(this.screen),
      ...this.#rewind.lines(this.screen),
      ...(this.#turn?.question(!this.#prompt.empty) ?? []),
    ];
    const { lines, cursor } = this.#prompt.draw(columns, rows - above.length - 1);
    const { usage, costUsd, model = this.known.defaultModel } = this;
    const facts = { model, usage, costUsd, waiting: this.#waiting.length, folder: this.options.directory };
    const hint = this.#leaving.asked
      ? "  Press Ctrl-C again to leave."
      : this.#rewind.asked && "  Esc again to go back to a message.";
    return {
      lines: [...above, ...lines, paint("dim", hint || statusLine(facts, columns))],
      cursor: { row: above.length + cursor.row, column: cursor.column },
    };
  }

  #press(key: Key): void {
    if (key.type !== "key" || key.name !== "ctrl-c") this.#leaving.stay();
    const rewound = this.#rewind.press(key);
    if (typeof rewound === "object") this.#prompt.whole = rewound.content;
    else if (!rewound && !this.#confirmation.press(key) && !(this.#prompt.empty && this.#turn?.press(key))) {
      // In a turn, Ctrl-C stops it, whatever is typed.
      const stops = this.#busy && key.type === "key" && key.name === "ctrl-c";
      const waits = this.#waiting.length > 0;
      const action = stops
        ? ({ type: "stop" } as const)
        : this.#prompt.press(key, this.screen.columns, waits);
      if (action) this.#obey(action);
    }
    this.screen.draw();
  }

  #obey(action: PromptAction): void {
    switch (action.type) {
      case "submit":
        void this.#enter(action.message, action.after);
        return;
      case "stop":
      case "interrupt":
        if (this.#turn || this.#stop) this.#interrupt();
        else if (action.type === "interrupt") this.#leaving.ask();
        else if (!this.#busy && (this.#prompt.empty || this.#rewind.chosen))
          this.#rewind.escape(this.chat, this.sessionId).catch((thrown) => this.showFailure(thrown));
        return;
      case "end":
        if (!this.#busy) this.#leaving.leave();
        return;
      case "recall":
        void this.#takeBack("newest");
        return;
      case "expand":
        this.#expand();
        return;
      case "clear":
        this.screen.clear();
        return;
      case "suspend":
        this.screen.hold();
        this.#keyboard.suspend(() => this.screen.release());
        return;
      case "edit":
        return void this.#edit();
      case "image":
        return void this.#pasteImage();
    }
  }

  #interrupt(): void {
    this.#stop?.abort();
    // What waits goes back to the prompt before the run ends, which would send it.
    if (this.#turn && !this.#turn.interrupted) void this.#takeBack("all");
    this.#turn?.interrupt();
  }

  #takeBack(which: "newest" | "all"): Promise<void> {
    return this.#change(async () => this.#prompt.restore(await this.#waiting.takeBack(this.chat, which)));
  }

  #edit(): Promise<void> {
    return this.#change(async () => {
      const { editOutside } = await import("./external-editor.ts");
      this.#prompt.whole = await editOutside(this.#prompt.whole, this.screen, this.#keyboard);
    });
  }

  #pasteImage(): Promise<void> {
    return this.#change(async () => {
      const { clipboardImage } = await import("./clipboard-image.ts");
      this.#prompt.insertImage(await clipboardImage());
    });
  }

  /** Changes the prompt, and shows it, or why it could not be changed. */
  async #change(work: () => Promise<void>): Promise<void> {
    await work().catch((thrown: unknown) => this.showFailure(thrown));
    this.screen.draw();
  }

  #expand(): void {
    if (this.#turn?.view.expand()) return;
    this.screen.printAll((this.#turn ?? this.#lastTurn)?.view.newestOutput() ?? []);
  }

  /** Takes what was entered. While an answer is written, it goes into the run or waits. */
  async #enter(message: TypedMessage, after: boolean): Promise<void> {
    if (!this.#busy) return this.#takeAll([message]);
    if (!after && this.#turn?.answer(message.text)) return this.screen.draw();
    try {
      const { runsAtOnce, runCommand } = await loadCommands();
      if (runsAtOnce(this, message.text)) return void (await runCommand(this, message.text));
      const isCommand = /^[/!]/.test(message.text);
      const runId = isCommand ? undefined : this.#turn?.runId;
      const prepare = () => prepared(this.chat, message, this.folder, true);
      await this.#waiting.add(this.chat, runId, message, after, prepare);
    } catch (thrown) {
      this.showFailure(thrown);
    }
    this.screen.draw();
  }

  /** Takes these messages, and then what was entered meanwhile. */
  async #takeAll(messages: TypedMessage[]): Promise<void> {
    this.#busy = true;
    const following = () => messages.shift() ?? this.#waiting.next();
    for (let next = following(); next; next = following()) {
      if ((await this.#take(next)) === "leave") this.#leaving.leave();
    }
    this.#busy = false;
    this.screen.draw();
  }

  async #take(message: TypedMessage): Promise<unknown> {
    const text = message.text.trim();
    if (text === "") return undefined;
    if (this.attended) this.screen.printAll(saidLines(message.text, this.screen));
    try {
      if (!/^[/!]/.test(text)) await this.send(message);
      else if ((await (await loadCommands()).runCommand(this, text)) === "leave") return "leave";
    } catch (thrown) {
      this.showFailure(thrown);
    }
    return void (this.attended && this.screen.gap());
  }

  async #ask(asked: Outgoing | { regenerate: string }): Promise<void> {
    if (!this.#trustAsked && this.options.directory !== undefined) await askTrust(this);
    this.#trustAsked = true;
    this.screen.print("");
    const { sessionId, model } = this;
    const { directory } = this.options;
    const turn = await this.#newTurn();
    const options = directory === undefined ? {} : { folder: directory };
    await this.#attend(turn, turn.ask({ ...asked, sessionId, model }, options));
  }

  async #follow(runId: string): Promise<void> {
    const turn = await this.#newTurn();
    await this.#attend(turn, turn.join(runId, this.sessionId ?? ""));
  }

  async #newTurn(): Promise<Turn> {
    const { Turn } = await import("./turn.ts");
    return new Turn({
      chat: this.chat,
      screen: this.screen,
      attended: this.attended,
      allow: this.options.allow ?? [],
      directory: this.options.directory,
      onTaken: (messageId) => void this.#waiting.taken(messageId),
    });
  }

  async #attend(turn: Turn, ending: Promise<TurnEnd>): Promise<void> {
    this.#turn = turn;
    const end = await ending;
    this.#turn = undefined;
    this.#lastTurn = turn;
    this.sessionId = end.sessionId ?? this.sessionId;
    if (this.attended) void this.running.look(this.sessionId);
    this.usage = end.state.usage ?? this.usage;
    this.costUsd += end.state.usage?.costUsd ?? 0;
    this.screen.print("");
    await this.#followNext();
  }

  /** A message that waited in the run has started the next one. */
  async #followNext(): Promise<void> {
    if (this.sessionId === undefined) return;
    const next = await this.#waiting.afterRun(this.chat, this.sessionId);
    if (next?.back) this.#prompt.restore(next.back);
    if (next?.runId !== undefined) await this.#follow(next.runId);
  }
}
