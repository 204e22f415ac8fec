import type { Key } from "./keys.ts";
import { wrap } from "./lines.ts";
import type { Screen } from "./screen.ts";

/** A question above the prompt that y answers with yes, and every other key with no. */
export class Confirmation {
  #open: { text: string; answer(yes: boolean): void } | undefined;

  ask(text: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.#open = { text, answer: resolve };
    });
  }

  lines({ columns, paint }: Pick<Screen, "columns" | "paint">): string[] {
    if (!this.#open) return [];
    return wrap([{ text: this.#open.text, format: "bold" }], columns - 2, paint).map((line) => `  ${line}`);
  }

  /** Returns true if the key was the answer. */
  press(key: Key): boolean {
    if (!this.#open) return false;
    const { answer } = this.#open;
    this.#open = undefined;
    answer(key.type === "text" && key.text.toLowerCase() === "y");
    return true;
  }
}
