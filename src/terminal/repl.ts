import { createInterface } from "node:readline";
import type { Chat } from "../protocol/chat.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import type { ChatRequest } from "../protocol/requests.ts";
import type { Session } from "../protocol/store.ts";
import type { AllowRule } from "./allow.ts";
import { clean } from "./clean.ts";
import { COMMANDS, runCommand } from "./commands.ts";
import { createHistory, type PromptHistory } from "./history.ts";
import type { KeyInput } from "./keys.ts";
import { truncate } from "./lines.ts";
import { renderMarkdown } from "./markdown.ts";
import { askLine, LEAVE_PASTES } from "./prompt.ts";
import { Screen } from "./screen.ts";
import { Turn, type TurnEnd } from "./turn.ts";
import { describeFailure, oneLine } from "./wording.ts";

export interface ReplOptions {
  model?: string;
  /** The session to continue: its id, or "last". */
  resume?: string | "last";
  allow?: AllowRule[];
  /** Where commands run, if that is on this machine. */
  directory?: string;
  version?: string;
  history?: PromptHistory;
  input?: KeyInput;
  output?: NodeJS.WriteStream;
}

const SHOWN_MESSAGES = 4;

/** Chats at the terminal until the user leaves. Returns the exit code. */
export async function startRepl(chat: Chat, options: ReplOptions = {}): Promise<number> {
  const conversation = new Conversation(chat, options);
  return conversation.run();
}

/** The state that the prompt and its commands work on. */
export class Conversation {
  readonly chat: Chat;
  readonly screen: Screen;
  sessionId: string | undefined;
  model: string | undefined;
  readonly #options: ReplOptions;
  readonly #input: KeyInput;
  readonly #output: NodeJS.WriteStream;
  readonly #queue: string[] = [];
  readonly #history: PromptHistory;
  /** The complete greeting, where the first one did not wait for the model's name. */
  #greeting: Promise<string | undefined> | undefined;
  #draft = "";

  constructor(chat: Chat, options: ReplOptions) {
    this.chat = chat;
    this.#options = options;
    this.#input = options.input ?? process.stdin;
    this.#output = options.output ?? process.stdout;
    this.screen = new Screen(this.#output);
    this.model = options.model;
    this.#history = options.history ?? createHistory();
  }

  async run(): Promise<number> {
    // Also when a signal ends the process.
    if (this.screen.live) process.once("exit", () => this.#output.write(LEAVE_PASTES));
    try {
      await this.#greet();
      await this.#begin();
    } catch (thrown) {
      this.#showFailure(thrown);
      return 1;
    }
    if (this.#input.isTTY && this.screen.live) await this.#attend();
    else await this.#readLines();
    await this.#history.settled();
    return 0;
  }

  /** Continues a session: shows its last messages and follows its active run. */
  async resume(session: Session): Promise<void> {
    this.sessionId = session.id;
    const { screen } = this;
    screen.print(screen.paint("dim", `Continuing “${oneLine(session.title)}” (${session.id})`), "");
    for (const message of await this.chat.messages(session.id, { limit: SHOWN_MESSAGES })) {
      if (message.role === "user")
        screen.print(`${screen.paint("cyan", "›")} ${oneLine(message.content)}`, "");
      if (message.role === "assistant" && message.content !== "") {
        screen.print(...renderMarkdown(clean(message.content), screen.columns, screen.paint), "");
      }
    }
    if (!session.activeRunId) return;
    this.#keep(await this.#turn().join(session.activeRunId, session.id));
    screen.print("");
  }

  /** Prints the greeting without waiting for the model's name, which is filled in later. */
  async #greet(): Promise<void> {
    if (!this.screen.live) return;
    if (this.model === undefined && this.#options.resume === undefined) {
      this.#greeting = this.#defaultModel().then((model) => this.#greetingWith(model));
      this.screen.print(this.#greetingWith(undefined), "");
      return;
    }
    this.screen.print(this.#greetingWith(this.model ?? (await this.#defaultModel())), "");
  }

  #greetingWith(model: string | undefined): string {
    const { paint, columns } = this.screen;
    const facts = [this.#options.version, model, "/help"].filter(Boolean).join(" · ");
    return `${paint("bold", "Tackle")} ${paint("dim", truncate(facts, columns - 7))}`;
  }

  /** Undefined if it cannot be read. The first message then shows the error. */
  async #defaultModel(): Promise<string | undefined> {
    const models = await this.chat.models().catch(() => []);
    return models.find((listed) => listed.default)?.id;
  }

  async #begin(): Promise<void> {
    const { resume } = this.#options;
    if (resume === undefined) return;
    if (resume !== "last") return this.resume(await this.chat.getSession(resume));
    const [session] = await this.chat.listSessions({ limit: 1 });
    if (session) return this.resume(session);
    this.screen.print(
      this.screen.paint("dim", "There is no conversation to continue. This starts a new one."),
    );
  }

  async #attend(): Promise<void> {
    let leaving = false;
    for (;;) {
      const text = this.#queue.shift();
      if (text !== undefined) {
        this.screen.print(`${this.screen.paint("cyan", "›")} ${oneLine(text)}`);
        if ((await this.#take(text)) === "leave") return;
        continue;
      }
      const draft = this.#draft;
      this.#draft = "";
      const answer = await askLine({
        input: this.#input,
        output: this.#output,
        prompt: `${this.screen.paint("cyan", "›")} `,
        history: this.#history.entries,
        draft,
        completions: COMMANDS.map(({ name }) => `/${name}`),
        above: this.#greeting && { rows: 2, line: this.#greeting },
      });
      this.#greeting = undefined;
      if (answer.type === "end") return;
      if (answer.type === "interrupt") {
        if (leaving) return;
        leaving = true;
        this.screen.print(this.screen.paint("dim", "Press Ctrl-C again to leave."));
        continue;
      }
      leaving = false;
      for (const line of answer.text.split("\n")) this.#history.add(line);
      if ((await this.#take(answer.text)) === "leave") return;
    }
  }

  /** Without a keyboard, each line of the input is a message. */
  async #readLines(): Promise<void> {
    for await (const line of createInterface({ input: this.#input })) {
      if ((await this.#take(line)) === "leave") return;
    }
  }

  async #take(text: string): Promise<unknown> {
    const message = text.trim();
    if (message === "") return undefined;
    try {
      if (message.startsWith("/") && !message.includes("\n")) return await runCommand(this, message);
      await this.#ask({ message });
    } catch (thrown) {
      this.#showFailure(thrown);
    }
    return undefined;
  }

  /** Answers the last question again. The previous answer stays as another version. */
  async retry(): Promise<void> {
    const messages =
      this.sessionId === undefined ? [] : await this.chat.messages(this.sessionId, { limit: 2 });
    const answer = messages.findLast(({ role }) => role === "assistant");
    if (!answer) throw new Failure("INVALID_INPUT", "There is no answer to repeat yet.");
    await this.#ask({ regenerate: answer.id });
  }

  async #ask(asked: Pick<ChatRequest, "message" | "regenerate">): Promise<void> {
    this.screen.print("");
    const { sessionId, model } = this;
    this.#keep(await this.#turn().ask({ ...asked, sessionId, model }));
    this.screen.print("");
  }

  #turn(): Turn {
    return new Turn({
      chat: this.chat,
      screen: this.screen,
      input: this.#input.isTTY && this.screen.live ? this.#input : undefined,
      allow: this.#options.allow ?? [],
      directory: this.#options.directory,
      draft: this.#draft,
    });
  }

  #keep(end: TurnEnd): void {
    this.sessionId = end.sessionId ?? this.sessionId;
    this.#queue.push(...end.queued);
    this.#draft = end.draft;
    for (const line of end.queued) {
      this.#history.entries.unshift(line);
      this.#history.add(line);
    }
  }

  #showFailure(thrown: unknown): void {
    this.screen.print(this.screen.paint("red", `✗ ${describeFailure(toFailure(thrown))}`));
  }
}
