import type { Chat, TranscriptMessage } from "../protocol/chat.ts";
import type { Key } from "./keys.ts";
import { truncate } from "./lines.ts";
import type { Outgoing } from "./outgoing.ts";
import type { Screen } from "./screen.ts";
import { withoutOutput } from "./shell-command.ts";
import { oneLine } from "./wording.ts";

const ASKED_MS = 1_500;
const ROWS = 8;

/** Going back to an earlier message: Esc twice lists them, and the next message takes the place of the chosen one. */
export class Rewind {
  readonly #draw: () => void;
  #asked: NodeJS.Timeout | undefined;
  #choices: readonly TranscriptMessage[] = [];
  #at = 0;
  #chosen: TranscriptMessage | undefined;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** True for a while after the first Esc. */
  get asked(): boolean {
    return this.#asked !== undefined;
  }

  /** True while the next message takes the place of an earlier one. */
  get chosen(): boolean {
    return this.#chosen !== undefined;
  }

  /** Obeys an Esc: the second one in a row lists the messages. One after a choice takes the choice back. */
  async escape(chat: Chat, sessionId: string | undefined): Promise<void> {
    if (this.#chosen) return this.forget();
    if (sessionId === undefined) return;
    if (!this.#asked) {
      this.#asked = setTimeout(() => this.forget(), ASKED_MS);
      this.#asked.unref();
      return this.#draw();
    }
    this.forget();
    this.#choices = (await chat.messages(sessionId)).filter(({ role }) => role === "user");
    this.#at = this.#choices.length - 1;
    this.#draw();
  }

  /** Obeys a key while the list is shown. Returns the message that was chosen, or false if there is no list. */
  press(key: Key): TranscriptMessage | boolean {
    const count = this.#choices.length;
    if (count === 0) return false;
    const name = key.type === "key" ? key.name : "";
    if (name === "up" || name === "ctrl-p") this.#at = Math.max(0, this.#at - 1);
    else if (name === "down" || name === "ctrl-n") this.#at = Math.min(count - 1, this.#at + 1);
    else if (name === "enter") {
      const chosen = this.#choices[this.#at];
      this.forget();
      this.#chosen = chosen;
      return chosen ?? true;
    } else if (name !== "") this.forget();
    return true;
  }

  /** Where the next message belongs, and what was attached to the one that it replaces. Empty if it comes last. */
  get place(): Pick<Outgoing, "parentId" | "attachments"> {
    const chosen = this.#chosen;
    if (!chosen) return {};
    const attachments = chosen.attachments?.map(({ fileId }) => ({ fileId }));
    return { parentId: chosen.parentId ?? null, ...(attachments ? { attachments } : {}) };
  }

  /** Stays where the conversation is. */
  forget(): void {
    clearTimeout(this.#asked);
    this.#asked = undefined;
    this.#choices = [];
    this.#chosen = undefined;
    this.#draw();
  }

  /** The list, or what the next message replaces, above the prompt. */
  lines({ columns, paint }: Pick<Screen, "columns" | "paint">): string[] {
    if (this.#chosen) {
      const words = `↩ Replaces “${truncate(oneLine(withoutOutput(this.#chosen.content)), Math.max(8, columns - 40))}”`;
      return [paint("yellow", truncate(`  ${words} · Esc: no`, columns))];
    }
    if (this.#choices.length === 0) return [];
    const first = Math.max(0, Math.min(this.#at - Math.floor(ROWS / 2), this.#choices.length - ROWS));
    const rows = this.#choices.slice(first, first + ROWS).map(({ content }, index) => {
      const isChosen = first + index === this.#at;
      const line = truncate(`  ${isChosen ? "›" : " "} ${oneLine(withoutOutput(content))}`, columns);
      return isChosen ? paint("cyan", line) : paint("dim", line);
    });
    const hint = truncate("  Go back to: ↑ ↓, Enter · Esc: stay", columns);
    return [paint("bold", hint), ...rows];
  }
}
