import { createInterface } from "node:readline";

export type PromptAnswer = { type: "text"; text: string } | { type: "interrupt" } | { type: "end" };

export interface PromptOptions {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  prompt: string;
  /** Newest first, as readline keeps it; changed in place. */
  history: string[];
  /** Text that stands on the line already. */
  begun: string;
  /** The words that a Tab may complete the line to. */
  completions: string[];
  /** A line so many rows above the prompt, which is drawn anew once all of it is known. */
  above?: { rows: number; line: Promise<string | undefined> };
}

/** Asks for one message. Reads the keyboard only until it is answered, so that the turn after it can read it alone. */
export function askLine(options: PromptOptions): Promise<PromptAnswer> {
  const { history } = options;
  const readline = createInterface({
    input: options.input,
    output: options.output,
    terminal: true,
    history: [...history],
    historySize: 500,
    removeHistoryDuplicates: true,
    prompt: options.prompt,
    completer: (line: string) => {
      const fitting = options.completions.filter((word) => word.startsWith(line));
      return [line.startsWith("/") ? fitting : [], line];
    },
  });
  return new Promise((resolve) => {
    const lines: string[] = [];
    let answered = false;
    function answer(value: PromptAnswer): void {
      answered = true;
      readline.close();
      resolve(value);
    }
    readline.on("history", (entries) => {
      history.splice(0, history.length, ...entries);
    });
    readline.on("line", (line) => {
      lines.push(line);
      // Lines that were pasted arrive in one go: they are one message.
      if (lines.length === 1) {
        setImmediate(() => answer({ type: "text", text: [...lines, readline.line].join("\n").trimEnd() }));
      }
    });
    readline.on("SIGINT", () => {
      const typed = readline.line !== "";
      options.output.write("\n");
      answer(typed ? { type: "text", text: "" } : { type: "interrupt" });
    });
    readline.on("close", () => {
      if (answered) return;
      options.output.write("\n");
      answer({ type: "end" });
    });
    readline.prompt();
    if (options.begun !== "") readline.write(options.begun);
    const { above } = options;
    void above?.line.then((line) => {
      if (answered || line === undefined) return;
      const { rows, cols } = readline.getCursorPos();
      const up = above.rows + rows;
      options.output.write(`\x1b[${up}A\r${line}\x1b[K\x1b[${up}B\x1b[${cols + 1}G`);
    });
  });
}
