import stringWidth from "string-width";

const ESCAPE = "\x1b";
const SEQUENCE = new RegExp(`^${ESCAPE}\\[([?<>=0-9;]*)([@-~])`);

/** The screen of a terminal of endless height, as far as the tests need it. */
export class VirtualScreen {
  readonly #columns: number;
  #rows: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  get text(): string {
    return this.#rows
      .map((row) =>
        Array.from(row, (cell) => cell ?? " ")
          .join("")
          .trimEnd(),
      )
      .join("\n");
  }

  write(data: string): void {
    let rest = data;
    while (rest !== "") {
      const sequence = SEQUENCE.exec(rest);
      if (sequence) {
        this.#obey(sequence[2] ?? "", sequence[1] ?? "");
        rest = rest.slice(sequence[0].length);
      } else {
        const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
        this.#put(character);
        rest = rest.slice(character.length);
      }
    }
  }

  #put(character: string): void {
    if (character === "\r") this.#column = 0;
    else if (character === "\n") this.#row++;
    else if (character === "\b") this.#column = Math.max(0, this.#column - 1);
    else if (character >= " ") {
      if (this.#column >= this.#columns) {
        this.#row++;
        this.#column = 0;
      }
      const width = stringWidth(character);
      const before = this.#column - 1;
      // A mark joins the character before it. The second column of a wide character is empty.
      if (width === 0 && before >= 0) this.#line()[before] += character;
      else this.#line()[this.#column++] = character;
      if (width === 2) this.#line()[this.#column++] = "";
    }
    this.#line();
  }

  #obey(command: string, parameters: string): void {
    if (/[<>=]/.test(parameters)) return; // Requests about the keyboard.
    const count = Number.parseInt(parameters, 10);
    const steps = Number.isNaN(count) ? 1 : count;
    if (command === "A") this.#row = Math.max(0, this.#row - steps);
    if (command === "B") this.#row += steps;
    if (command === "C") this.#column += steps;
    if (command === "D") this.#column = Math.max(0, this.#column - steps);
    if (command === "G") this.#column = steps - 1;
    if (command === "H") [this.#row, this.#column] = [0, 0];
    if (command === "K") this.#line().length = this.#column;
    if (command === "J" && parameters.startsWith("2")) {
      this.#rows = [[]];
      this.#row = 0;
      this.#column = 0;
    } else if (command === "J" && (parameters === "" || parameters === "0")) {
      this.#line().length = Math.min(this.#line().length, this.#column);
      this.#rows.length = this.#row + 1;
    }
  }

  #line(): string[] {
    while (this.#rows.length <= this.#row) this.#rows.push([]);
    return this.#rows[this.#row] ?? [];
  }
}
