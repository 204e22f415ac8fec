import { createInterface } from "node:readline";

export type PromptAnswer = { type: "text"; text: string } | { type: "interrupt" } | { type: "end" };

export interface PromptOptions {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  prompt: string;
  /** Newest first, as readline keeps it; changed in place. */
  history: string[];
  /** Text that is already on the line. */
  draft: string;
  /** What Tab completes the line to. */
  completions: string[];
  /** A line above the prompt that is redrawn once its text is known. */
  above?: { rows: number; line: Promise<string | undefined> };
}

/** Makes the terminal mark where a paste starts and ends. */
export const MARK_PASTES = "\x1b[?2004h";
export const LEAVE_PASTES = "\x1b[?2004l";

/** Asks for one message. Stops reading the keyboard afterwards, so that the turn can read it. */
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
      // A paste waits for Enter. In a terminal that does not mark pastes, lines that arrive together are one message.
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
    if (options.draft !== "") readline.write(options.draft);
    const { above } = options;
    void above?.line.then((line) => {
      if (answered || line === undefined) return;
      const { rows, cols } = readline.getCursorPos();
      const up = above.rows + rows;
      options.output.write(`\x1b[${up}A\r${line}\x1b[K\x1b[${up}B\x1b[${cols + 1}G`);
    });
  });
}
