import type { Source } from "./sources.ts";

/** A block of code that also appears elsewhere. */
export interface Duplicate {
  path: string;
  line: number;
  lines: number;
  /** The place of the first copy. */
  first: string;
  /** True when the block is a table of values rather than code. */
  isTable: boolean;
}

const BLOCK = 10;
/** With fewer statements than this among its ten lines, a block is a table. */
const LEAST_STATEMENTS = 2;
const TEXT = /"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
const TOKEN = /"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|[A-Za-z_$][\w$]*|\d[\d_.]*|[^\s\w]/g;
const STATEMENT = /=>|\b(?:const|let|return|if|for|while|await|throw|try|catch|switch)\b/;
const KEYWORDS = new Set(
  (
    "as async await boolean break case catch class const continue else export extends false finally for from function if " +
    "in interface let new null number of readonly return string switch this throw true try type typeof undefined unknown void while"
  ).split(" "),
);

interface CodeLine {
  line: number;
  tokens: string[];
  isStatement: boolean;
}

/**
 * Finds blocks of ten or more lines of code that appear in src/ twice. Two blocks are the same if renaming identifiers and
 * literals one to one turns one into the other; two tables of values, if they hold the same names or the same values. Blank
 * lines, comments and imports do not count.
 */
export function findDuplicates(sources: Source[]): Duplicate[] {
  const seen = new Map<string, string>();
  const found: Duplicate[] = [];
  for (const { path, lines } of sources) {
    const code = codeLines(lines);
    let open: (Duplicate & { until: number }) | undefined;
    for (let at = 0; at + BLOCK <= code.length; at++) {
      const block = code.slice(at, at + BLOCK);
      const [start, end] = [block[0]?.line ?? 0, block.at(-1)?.line ?? 0];
      const isTable = block.filter((one) => one.isStatement).length < LEAST_STATEMENTS;
      const keys = isTable ? tableKeys(block) : [shapeOf(block)];
      const first = keys.map((key) => seen.get(key)).find((place) => place !== undefined);
      for (const key of keys) if (!seen.has(key)) seen.set(key, `${path}:${start}`);
      if (first === undefined) continue;
      if (open && open.until === at - 1 && open.isTable === isTable)
        Object.assign(open, { lines: end - open.line + 1, until: at });
      else {
        open = { path, line: start, lines: end - start + 1, first, isTable, until: at };
        found.push(open);
      }
    }
  }
  return found.sort((one, other) => other.lines - one.lines);
}

function codeLines(lines: string[]): CodeLine[] {
  const code: CodeLine[] = [];
  let inImport = false;
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    if (text === "" || /^(?:\/\/|\/\*|\*)/.test(text)) continue;
    inImport ||= text.startsWith("import ");
    if (!inImport)
      code.push({
        line: index + 1,
        tokens: text.match(TOKEN) ?? [],
        isStatement: STATEMENT.test(text.replace(TEXT, "")),
      });
    else if (/(?:from|^import) "[^"]+"/.test(text)) inImport = false;
  }
  return code;
}

/** Returns the names and the values of a table, each with the shape of the whole. */
function tableKeys(block: CodeLine[]): string[] {
  const shape = shapeOf(block);
  const tokens = block.flatMap((line) => line.tokens);
  const names = tokens.filter((token) => /^[A-Za-z_$]/.test(token) && !KEYWORDS.has(token));
  const values = tokens.filter((token) => /^["`\d]/.test(token));
  return [names, values].filter((list) => list.length >= BLOCK).map((list) => `${shape}${list.join(" ")}`);
}

/** Returns the tokens of a block, with a number for each identifier and literal. */
function shapeOf(block: CodeLine[]): string {
  const numbers = new Map<string, number>();
  let shape = "";
  for (const { tokens } of block) {
    for (const token of tokens) {
      if (/^[^\w"`$]/.test(token) || KEYWORDS.has(token)) shape += `${token} `;
      else {
        const number = numbers.get(token) ?? numbers.size;
        numbers.set(token, number);
        shape += `${/^[A-Za-z_$]/.test(token) ? "n" : "l"}${number} `;
      }
    }
    shape += "\n";
  }
  return shape;
}
