import { Editor } from "./editor.ts";
import type { PromptHistory } from "./history.ts";
import type { Key } from "./keys.ts";
import { truncate, widthOf } from "./lines.ts";
import type { Paint } from "./style.ts";

/** A message as it was typed: its text, and the images that labels in it stand for. */
export interface TypedMessage {
  text: string;
  images: readonly string[];
  /** The parts of the text that were pasted or piped in. If that makes the message too long, they are attached. */
  pasted?: readonly string[];
}

export type PromptAction =
  /** `after`: not before the running turn is over. */
  | { type: "submit"; message: TypedMessage; after: boolean }
  /** Esc, Ctrl-C and Ctrl-D with nothing typed, Ctrl-O, ↑ where something waits, Ctrl-L, Ctrl-Z, Ctrl-G, Ctrl-V. */
  | { type: "stop" | "interrupt" | "end" | "expand" | "recall" | "clear" | "suspend" | "edit" | "image" };

/** What the text at the cursor can become. */
export interface Completion {
  start: number;
  end: number;
  items: readonly { text: string; note?: string }[];
}

export interface PromptOptions {
  history: PromptHistory;
  paint: Paint;
  complete(text: string, cursor: number): Completion | undefined;
  /** The path of the image that a pasted text names. */
  imageAt(text: string): string | undefined;
}

const FOLDED_LINES = 10;
const FOLDED_CHARACTERS = 1_000;
const MENU_ROWS = 6;
const MARK = "› ";

/** The line that a person types at: editing, history, completion, pastes. It draws nothing itself. */
export class Prompt {
  readonly editor = new Editor();
  readonly #options: PromptOptions;
  /** What labels in the text stand for. */
  readonly #pastes = new Map<string, string>();
  readonly #images = new Map<string, string>();
  /** The position in the history, and what was typed before it was looked at. */
  #at = -1;
  #draft = "";
  #search: { query: string; at: number; before: string } | undefined;
  #menu: Completion | undefined;
  #chosen = 0;

  constructor(options: PromptOptions) {
    this.#options = options;
  }

  get empty(): boolean {
    return this.editor.empty && !this.#search;
  }

  /** Obeys a key. Returns what the conversation has to do about it. `waiting`: ↑ takes back what waits. */
  press(key: Key, columns: number, waiting: boolean): PromptAction | undefined {
    if (this.#search) return this.#pressSearch(key, columns, waiting);
    if (key.type === "paste") this.#paste(key.text);
    if (key.type === "text") this.editor.insert(key.text);
    if (key.type !== "key") {
      this.#typed();
      return undefined;
    }
    const answer = this.#pressMenu(key.name);
    return answer === "other" ? this.#command(key.name, columns, waiting) : answer;
  }

  /** Puts messages that were not sent before what is typed. */
  restore(messages: readonly TypedMessage[]): void {
    const texts = [...messages.map(({ text }) => text), this.editor.text];
    this.editor.set(texts.filter((part) => part !== "").join("\n"));
    this.#menu = undefined;
  }

  /** Everything that is typed, with what the labels of pastes stand for. */
  get whole(): string {
    return this.#expanded(this.editor.text);
  }

  /** Replaces everything that is typed. */
  set whole(text: string) {
    this.editor.set(text);
    this.#menu = undefined;
  }

  /** Looks again for completions, once more of them are known. */
  refresh(): void {
    if (this.#menu || this.editor.text.includes("@")) this.#typed();
  }

  /** The rows of the prompt and of the menu below it, as many as there is room for, and where the cursor is. */
  draw(columns: number, mostRows: number): { lines: string[]; cursor: { row: number; column: number } } {
    const { paint } = this.#options;
    const { rows, cursor } = this.editor.layout(columns - MARK.length);
    const room = Math.max(1, mostRows - MENU_ROWS - 1);
    const first = Math.max(0, Math.min(cursor.row - Math.floor(room / 2), rows.length - room));
    const visible = rows.slice(first, first + room);
    const mark = this.editor.text.startsWith("!") ? paint("magenta", MARK) : paint("cyan", MARK);
    const lines = visible.map((row, at) => `${first + at === 0 ? mark : "  "}${row}`);
    const column = cursor.column + MARK.length;
    if (this.#search) {
      const found = this.#found() === undefined && this.#search.query !== "" ? "nothing found for" : "search";
      lines.push(paint("dim", truncate(`  ${found}: ${this.#search.query}▏`, columns)));
    }
    const menu = this.#menuLines(columns, Math.min(MENU_ROWS, mostRows - lines.length));
    return { lines: [...lines, ...menu], cursor: { row: cursor.row - first, column } };
  }

  #command(name: string, columns: number, waiting: boolean): PromptAction | undefined {
    const { editor } = this;
    switch (name) {
      case "enter":
        if (!/(?:^|[^\\])(?:\\\\)*\\$/.test(editor.text.slice(0, editor.cursor))) return this.#submit(false);
        editor.replace(editor.cursor - 1, editor.cursor, "\n");
        return undefined;
      case "shift-enter":
      case "ctrl-enter":
      case "ctrl-j":
        editor.insert("\n");
        return undefined;
      case "alt-enter":
        return this.#submit(true);
      case "escape":
        return { type: "stop" };
      case "ctrl-c":
        if (editor.empty) return { type: "interrupt" };
        editor.clear();
        this.#typed();
        return undefined;
      case "ctrl-d":
        if (editor.empty) return { type: "end" };
        break;
      case "ctrl-o":
        return { type: "expand" };
      case "ctrl-l":
        return { type: "clear" };
      case "ctrl-z":
        return { type: "suspend" };
      case "ctrl-g":
        return { type: "edit" };
      case "ctrl-v":
        return { type: "image" };
      case "ctrl-r":
        this.#search = { query: "", at: -1, before: editor.text };
        return undefined;
      case "tab":
        this.#typed();
        this.#accept();
        return undefined;
    }
    if (name === "up" && editor.empty && waiting) return { type: "recall" };
    const moved = editor.press(name, columns - MARK.length);
    if (!moved && (name === "up" || name === "ctrl-p")) this.#recall(1);
    else if (!moved && (name === "down" || name === "ctrl-n")) this.#recall(-1);
    else if (moved) this.#typed();
    return undefined;
  }

  #submit(after: boolean): PromptAction | undefined {
    const typed = this.editor.text;
    if (typed.trim() === "") return undefined;
    const text = this.#expanded(typed).trimEnd();
    const images = [...this.#images].flatMap(([label, path]) => (typed.includes(label) ? [path] : []));
    const pasted = [...this.#pastes].flatMap(([label, long]) =>
      typed.includes(label) ? [long.trimEnd()] : [],
    );
    this.editor.set("");
    this.#pastes.clear();
    this.#images.clear();
    this.#at = -1;
    this.#menu = undefined;
    this.#options.history.add(text);
    return { type: "submit", message: { text, images, pasted }, after };
  }

  #paste(pasted: string): void {
    // Tabs and newlines stay. Other control characters have no place in a message.
    const text = pasted.replace(/(?![\t\n])\p{Cc}/gu, "");
    const image = this.#options.imageAt(text);
    if (image !== undefined) {
      this.insertImage(image);
      return;
    }
    const lines = text.split("\n").length;
    if (lines <= FOLDED_LINES && text.length <= FOLDED_CHARACTERS) {
      this.editor.insert(text);
      return;
    }
    const size = lines > 1 ? `${lines} lines` : `${text.length} characters`;
    const label = `[Pasted ${this.#pastes.size + 1}: ${size}]`;
    this.#pastes.set(label, text);
    this.editor.insert(label, true);
  }

  /** Puts a label into the text that stands for an image. */
  insertImage(path: string): void {
    const label = `[Image ${this.#images.size + 1}: ${path.split(/[\\/]/).at(-1)}]`;
    this.#images.set(label, path);
    this.editor.insert(label, true);
  }

  #expanded(text: string): string {
    let whole = text;
    for (const [label, pasted] of this.#pastes) whole = whole.replaceAll(label, () => pasted);
    return whole;
  }

  #recall(by: number): void {
    const { entries } = this.#options.history;
    const to = this.#at + by;
    if (to < -1 || to >= entries.length) return;
    if (this.#at === -1) this.#draft = this.editor.text;
    this.#at = to;
    this.editor.set(to === -1 ? this.#draft : (entries[to] ?? ""));
  }

  #pressSearch(key: Key, columns: number, waiting: boolean): PromptAction | undefined {
    const search = this.#search;
    if (!search) return undefined;
    if (key.type !== "key") {
      search.query += key.text.replaceAll("\n", " ");
      search.at = -1;
      this.#find(search);
      return undefined;
    }
    switch (key.name) {
      case "ctrl-r":
        this.#find(search);
        return undefined;
      case "backspace":
        search.query = Array.from(search.query).slice(0, -1).join("");
        search.at = -1;
        this.#find(search);
        return undefined;
      case "ctrl-c":
      case "ctrl-g":
        this.#search = undefined;
        this.editor.set(search.before);
        return undefined;
      case "escape":
      case "tab":
        this.#search = undefined;
        return undefined;
      default:
        this.#search = undefined;
        return this.press(key, columns, waiting);
    }
  }

  /** Shows the next older message with the words that are searched for. */
  #find(search: { query: string; at: number; before: string }): void {
    const { entries } = this.#options.history;
    const wanted = search.query.toLowerCase();
    const at = entries.findIndex(
      (entry, index) => index > search.at && wanted !== "" && entry.toLowerCase().includes(wanted),
    );
    if (at === -1) {
      if (search.at === -1) this.editor.set(search.before);
      return;
    }
    search.at = at;
    this.editor.set(entries[at] ?? "");
  }

  #found(): string | undefined {
    return this.#options.history.entries[this.#search?.at ?? -1];
  }

  #typed(): void {
    this.#at = -1;
    const found = this.#options.complete(this.editor.text, this.editor.cursor);
    this.#menu = found && found.items.length > 0 ? found : undefined;
    this.#chosen = 0;
  }

  /** Returns "other" where the key has nothing to do with the menu. */
  #pressMenu(name: string): PromptAction | "other" | undefined {
    const menu = this.#menu;
    if (!menu) return "other";
    const rows = Math.min(menu.items.length, MENU_ROWS);
    if (name === "escape") this.#menu = undefined;
    else if (name === "up") this.#chosen = (this.#chosen + rows - 1) % rows;
    else if (name === "down") this.#chosen = (this.#chosen + 1) % rows;
    else if (name === "enter" && !this.#isWhole(menu)) {
      this.#accept();
      // A command is complete with its name. A file is a part of a longer message.
      if (this.editor.text.startsWith("/")) return this.#submit(false);
    } else return "other";
    return undefined;
  }

  #isWhole({ start, end, items }: Completion): boolean {
    const word = this.editor.text.slice(start, end);
    return this.#chosen === 0 && items.some(({ text }) => text === word);
  }

  #accept(): void {
    const item = this.#menu?.items[this.#chosen];
    if (!this.#menu || !item) return;
    const { start, end } = this.#menu;
    this.editor.replace(
      start,
      end,
      item.text.startsWith("@") && !item.text.endsWith("/") ? `${item.text} ` : item.text,
    );
    this.#menu = undefined;
  }

  #menuLines(columns: number, rows: number): string[] {
    const { paint } = this.#options;
    const items = this.#menu?.items.slice(0, MENU_ROWS) ?? [];
    const width = Math.max(0, ...items.map(({ text }) => widthOf(text)));
    const lines = items.map(({ text, note = "" }, at) => {
      const padded = note === "" ? text : `${text}${" ".repeat(width - widthOf(text))}  ${note}`;
      const line = truncate(`  ${padded}`, columns);
      return at === this.#chosen ? paint("cyan", line) : paint("dim", line);
    });
    const first = Math.max(0, this.#chosen - rows + 1);
    return lines.slice(first, first + Math.max(0, rows));
  }
}
