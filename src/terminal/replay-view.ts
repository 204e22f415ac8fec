import type { ChatEvent } from "../protocol/events.ts";
import { Screen } from "./screen.ts";
import { TurnView } from "./turn-view.ts";
import { oneLine } from "./wording.ts";

/** Shows a replay as the runs looked live. */
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

  /** Prints the report, with recorded and new lines in different colors. */
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
