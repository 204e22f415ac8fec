import { fillSample } from "./samples.ts";
import { escapeMarkup, subjectOf, titleOf } from "./subject.ts";
import type { ArtifactTemplate } from "./template.ts";

export const page: ArtifactTemplate = {
  words: /\b(?:html|web\s?page|website|landing page|home\s?page)\b/i,
  write(request) {
    const title = titleOf(subjectOf(request)) || "Welcome";
    return { type: "html", title, code: fillSample("page.html", { TITLE: escapeMarkup(title) }) };
  },
};

/** A table with the columns that the request names ("name, age and city"), or a sample. */
export const table: ArtifactTemplate = {
  words: /\b(?:markdown|table|document)\b/i,
  write(request) {
    const columns = columnsIn(request);
    if (columns.length > 1) {
      const row = (cells: string[]) => `| ${cells.join(" | ")} |`;
      const lines = [row(columns), row(columns.map(() => "---")), ...rowsFor(columns).map(row)];
      return { type: "markdown", title: "Table", code: `${lines.join("\n")}\n` };
    }
    const title = titleOf(subjectOf(request)) || "Plan for the week";
    return { type: "markdown", title, code: fillSample("week.md", { TITLE: title }) };
  },
};

function columnsIn(request: string): string[] {
  const compared = /\bcompar(?:e|es|ing)\s+(.+?)(?:\s+in\s+(?:a\s+)?(?:markdown|table).*)?$/is.exec(
    request,
  )?.[1];
  if (compared) return ["", ...namesIn(compared)];
  const named = /\bcolumns?\s*:?\s+(.+)|\bwith\s+(.+?)\s+columns?\b/is.exec(request);
  return namesIn(named?.[1] ?? named?.[2] ?? "");
}

/** A comparison has an empty first heading, with the criteria below it. */
function rowsFor(columns: string[]): string[][] {
  if (columns[0] === "") {
    return ["Strengths", "Weaknesses", "Best for"].map((point) =>
      columns.map((name) => (name === "" ? point : "…")),
    );
  }
  return [1, 2, 3].map((count) => columns.map((name) => `${name} ${count}`));
}

function namesIn(list: string): string[] {
  return list
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+/)
    .map((name) => titleOf(name.replace(/[|.?!`]/g, "").trim()))
    .filter(Boolean)
    .slice(0, 8);
}

/** A small program, in Python if the request names it, otherwise in TypeScript. */
export const program: ArtifactTemplate = {
  words: /\b(?:function|script|program|snippet|python|typescript|fibonacci)\b/i,
  write(request) {
    const language = /\bpython\b/i.test(request) ? "python" : "typescript";
    const topic = /\bfibonacci\b/i.test(request) ? "fibonacci" : "hello";
    const title = topic === "fibonacci" ? "Fibonacci numbers" : "Hello, world";
    // A name that ends in .ts would be compiled with the program.
    const ending = language === "python" ? "py" : "ts.txt";
    return { type: "code", title, code: fillSample(`${topic}.${ending}`), language };
  },
};
