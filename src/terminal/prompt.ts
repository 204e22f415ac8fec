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

/** Asks the terminal to say where a paste begins and ends. */
export const MARK_PASTES = "\x1b[?2004h";
export const LEAVE_PASTES = "\x1b[?2004l";

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
    let pasting = false;
    let ending = false;
    const onKey = (_: string, key: { name?: string }) => {
      if (key.name === "paste-start") pasting = true;
      if (key.name === "paste-end") pasting = false;
    };
    options.input.on("keypress", onKey);
    options.output.write(MARK_PASTES);
    function answer(value: PromptAnswer): void {
      answered = true;
      options.input.off("keypress", onKey);
      options.output.write(LEAVE_PASTES);
      readline.close();
      resolve(value);
    }
    readline.on("history", (entries) => {
      history.splice(0, history.length, ...entries);
    });
    readline.on("line", (line) => {
      lines.push(line);
      // What is pasted waits for Enter; where the terminal does not mark it, its lines arrive in one go and are one message.
      if (pasting || ending) return;
      ending = true;
      setImmediate(() => answer({ type: "text", text: [...lines, readline.line].join("\n").trimEnd() }));
    });
    readline.on("SIGINT", () => {
      const typed = readline.line !== "" || lines.length > 0;
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
