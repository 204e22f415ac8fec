import type { ChatEvent } from "../protocol/events.ts";
import { Screen } from "./screen.ts";
import { TurnView } from "./turn-view.ts";
import { oneLine } from "./wording.ts";

/** Shows runs that are played again as they looked. */
export class ReplayView {
  readonly #screen: Screen;
  #view: TurnView | undefined;

  constructor(output: NodeJS.WriteStream) {
    this.#screen = new Screen(output);
  }

  begin(question: string): void {
    this.end();
    this.#screen.print(`${this.#screen.paint("cyan", "›")} ${oneLine(question)}`, "");
    this.#view = new TurnView(this.#screen);
  }

  apply(event: ChatEvent): void {
    this.#view?.apply(event);
  }

  end(): void {
    if (!this.#view) return;
    this.#view.end();
    this.#view = undefined;
    this.#screen.print("");
  }

  /** What it came to, with what was there and what is there now told apart. */
  report(lines: string[]): void {
    const { paint } = this.#screen;
    const looks: Record<string, Parameters<typeof paint>[0]> = {
      "  -": "red",
      "  +": "green",
      "≠ ": "bold",
      "! ": "yellow",
    };
    for (const line of lines) {
      const look = Object.entries(looks).find(([start]) => line.startsWith(start))?.[1];
      this.#screen.print(look ? paint(look, line) : line);
    }
  }
}
