const ESCAPE = String.fromCharCode(0x1b);
const ENDINGS = `(?:\\u0007|${ESCAPE}\\\\|\\u009c)`;

/** Sequences that color text, move the cursor or set a title. */
const SEQUENCES = new RegExp(
  [
    `${ESCAPE}[\\]PX^_][^\\u0007\\u001b\\u009c]{0,4096}${ENDINGS}`,
    `${ESCAPE}\\[[0-?]{0,64}[ -/]{0,8}[@-~]`,
    `\\u009b[0-?]{0,64}[ -/]{0,8}[@-~]`,
    `${ESCAPE}[ -/]{0,4}[0-Z\\\\^-~]`,
  ].join("|"),
  "g",
);
const CONTROLS = /(?![\t\n\r])\p{Cc}/gu;
const UNFINISHED = new RegExp(
  `(?:${ESCAPE}(?:\\[[0-?]*[ -/]*|[\\]PX^_][^\\u0007\\u001b\\u009c]*${ESCAPE}?|[ -/]*)|\\u009b[0-?]*[ -/]*|\\r)$`,
);
/** A longer sequence is taken as text instead of being held back. */
const LONGEST_HELD = 256;

/** Removes the control sequences of terminals. Single control characters stay. */
export function withoutSequences(text: string): string {
  return text.replace(SEQUENCES, "");
}

/** Returns what a terminal would show of a program's output: no control characters, and of a progress line its last state. */
export function plainText(text: string): string {
  return foldReturns(withoutSequences(text).replace(CONTROLS, "")).replace(/\r$/, "");
}

/**
 * Keeps the last state of each line that carriage returns overwrite. One at the very end is kept, because only what follows
 * shows whether it overwrites.
 */
export function foldReturns(text: string): string {
  if (!text.includes("\r")) return text;
  const lines = text.split("\n");
  return lines.map((line, index) => foldLine(line, index === lines.length - 1)).join("\n");
}

function foldLine(line: string, isOpen: boolean): string {
  if (!line.includes("\r")) return line;
  const last = line.split("\r").findLast((state) => state !== "") ?? "";
  return isOpen && line.endsWith("\r") ? `${last}\r` : last;
}

/** Appends streamed output to what was there, and folds the line that it continues. */
export function appendOutput(before: string, added: string): string {
  if (!added.includes("\r") && !before.endsWith("\r")) return before + added;
  const line = before.lastIndexOf("\n") + 1;
  return before.slice(0, line) + foldReturns(before.slice(line) + added);
}

/** Changes streamed text piece by piece. An incomplete control sequence is held back until the rest arrives. */
export function changeStream(change: (text: string) => string): {
  push(text: string): string;
  end(): string;
} {
  let held = "";
  return {
    push(text) {
      const whole = held + text;
      const cut = unfinishedAt(whole);
      held = whole.slice(cut);
      return change(whole.slice(0, cut));
    },
    end() {
      const rest = held;
      held = "";
      return change(rest);
    },
  };
}

function unfinishedAt(text: string): number {
  const at = UNFINISHED.exec(text.slice(-LONGEST_HELD))?.index;
  return at === undefined ? text.length : Math.max(0, text.length - LONGEST_HELD) + at;
}

/** Returns streamed output without control characters. A return that overwrites an earlier piece stays, for `appendOutput`. */
export function plainPiece(text: string): string {
  const plain = withoutSequences(text)
    .replace(CONTROLS, "")
    .replace(/(?<!\r)\r+\n/g, "\n");
  const overwrites = /^[^\n\r]*\r+[^\n\r]/.test(plain);
  return overwrites ? `\r${foldReturns(plain)}` : foldReturns(plain);
}
