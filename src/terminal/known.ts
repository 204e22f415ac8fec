import type { Chat } from "../protocol/chat.ts";
import type { SlashCommand } from "./commands.ts";
import { promptCommands, skillCommands } from "./trust.ts";

/** Not needed for the first prompt, so it is drawn sooner. */
export const loadCommands = () => import("./commands.ts");

/** What the footer shows and Tab completes. It is learned without holding up the prompt. */
export class Known {
  defaultModel: string | undefined;
  /** The commands of files, and the skills that may be used. */
  own: readonly SlashCommand[] = [];
  readonly #chat: Chat;
  readonly #readOwn: () => Promise<SlashCommand[]> | undefined;
  #commands: readonly SlashCommand[] = [];

  constructor(chat: Chat, readOwn: () => Promise<SlashCommand[]> | undefined) {
    this.#chat = chat;
    this.#readOwn = readOwn;
  }

  /** All commands. A file in the project cannot take the place of a command. */
  get commands(): readonly SlashCommand[] {
    return [...this.#commands, ...this.own];
  }

  async learn(onLearned: () => void): Promise<void> {
    this.#commands = (await loadCommands()).COMMANDS;
    const learning = this.learnOwn();
    // If it cannot be read, the first message shows the error.
    const models = await this.#chat.models().catch(() => []);
    this.defaultModel = models.find((listed) => listed.default)?.id;
    await learning;
    onLearned();
  }

  async learnOwn(): Promise<void> {
    const own = (await this.#readOwn()) ?? [];
    this.own = own;
    const [skills, prompts] = await Promise.all(
      [skillCommands, promptCommands].map((read) => read(this.#chat).catch(() => [])),
    );
    this.own = [...own, ...(skills ?? []), ...(prompts ?? [])];
  }
}
