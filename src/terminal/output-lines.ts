import { clean } from "./clean.ts";
import { chop, truncate } from "./lines.ts";
import type { Screen } from "./screen.ts";

/** A longer message is cut to this many lines. */
const MOST_SAID_LINES = 40;
const SAID_LINES = 20;

type Page = Pick<Screen, "columns" | "paint">;

/** What the terminal says first. */
export function titleLines(version: string | undefined, { paint }: Page): string[] {
  const facts = [version, "/help"].filter(Boolean).join(" · ");
  return [`${paint("bold", "Tackle")} ${paint("dim", facts)}`, ""];
}

/** The last lines of a command's output, below a line that says how many there are before them. */
export function outputLines(output: string, most: number, hint: string, { columns, paint }: Page): string[] {
  const lines = printedLines(output);
  const shown = lines.slice(-most);
  const hidden = lines.length - shown.length;
  const before =
    hidden > 0
      ? [
          paint(
            "dim",
            truncate(`    … ${hidden} ${hidden === 1 ? "line" : "lines"} before. ${hint}.`, columns),
          ),
        ]
      : [];
  return [...before, ...shown.map((line) => paint("dim", `    ${truncate(line, columns - 4)}`))];
}

/** All lines of an output, broken to the width. */
export function wholeOutput(output: string, { columns, paint }: Page): string[] {
  return printedLines(output).flatMap((line) =>
    chop(line, columns - 4).map((part) => paint("dim", `    ${part}`)),
  );
}

/** Says at the end what the model was never told. */
export function unsentWords(count: number): string {
  const what = count === 1 ? "The output of a command" : `The output of ${count} commands`;
  return `${what} was not sent, because no message followed.`;
}

/** A message as it appears in the conversation. Of a very long one, the beginning. */
export function saidLines(text: string, { columns, paint }: Page): string[] {
  const lines = clean(text)
    .split("\n")
    .flatMap((line) => chop(line, columns - 2));
  const shown = lines.slice(0, lines.length > MOST_SAID_LINES ? SAID_LINES : undefined);
  const left = lines.length - shown.length;
  return [
    ...shown.map((line, at) => `${at === 0 ? paint("cyan", "›") : " "} ${line}`.trimEnd()),
    ...(left > 0 ? [paint("dim", `  … ${left} more lines`)] : []),
  ];
}

/** The lines as a terminal would have left them: of a line that was drawn over again and again, only the last remains. */
function printedLines(output: string): string[] {
  const text = output.replaceAll("\r\n", "\n").replace(/(?<![^\n])[^\n]*\r(?=[^\n])/g, "");
  const lines = clean(text).trimEnd().split("\n");
  return lines.length === 1 && lines[0] === "" ? [] : lines;
}
