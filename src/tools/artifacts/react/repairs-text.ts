import { decodeEntities, lineAround } from "../source.ts";
import { type Repairer, remove, replace } from "./repairer.ts";

const CODE_LINE =
  /^\s*(?:import\b|export\b|const\b|let\b|var\b|function\b|async function\b|class\b|type\s+\w+\s*=|interface\b|enum\b|\/\/|\/\*|["']use \w+["']|<[A-Za-z>]|\(\)\s*=>|ReactDOM\b)/;
const PROSE_LINE =
  /^\s*(?:[-*#>]\s|\d+[.)]\s|\*\*|[A-Z“"'][\w’']*[\s,:]|(?:this|here|note|the|it|you|i|to)\b)/i;

/** The whole code is written with HTML entities. */
const entities: Repairer = ({ code }) => {
  if (!/&(?:lt|gt|amp|quot|#39);/.test(code) || /<\/?[A-Za-z]/.test(code)) return [];
  return [replace("The code was written with HTML entities.", 0, code.length, decodeEntities(code))];
};

/** `=&gt;` and `&amp;&amp;` here and there. */
const entityHere: Repairer = ({ code, problem }) => {
  const around = /&(?:lt|gt|amp|quot|#39);/.exec(
    code.slice(Math.max(0, problem.start - 5), problem.start + 6),
  );
  if (!around) return [];
  const start = Math.max(0, problem.start - 5) + around.index;
  const all = new RegExp(`^(?:${around[0]})+`).exec(code.slice(start))?.[0] ?? around[0];
  const message = `“${around[0]}” stood for “${decodeEntities(around[0])}”.`;
  return [replace(message, start, start + all.length, decodeEntities(all))];
};

/** All line breaks are written as `\n`. */
const escapedLines: Repairer = ({ code }) => {
  if (code.trim().includes("\n") || !code.includes("\\n")) return [];
  const text = code.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll('\\"', '"');
  return [replace("Line ends were written out.", 0, code.length, text)];
};

/** Each line begins with its number. */
const lineNumbers: Repairer = ({ code }) => {
  const lines = code.split("\n");
  const numbered = lines.filter((line) => line.trim() !== "");
  if (numbered.length < 2 || !numbered.every((line) => /^\s*\d+\s*[|:]/.test(line))) return [];
  const text = lines.map((line) => line.replace(/^\s*\d+\s*[|:] ?/, "")).join("\n");
  return [replace("Line numbers were removed.", 0, code.length, text)];
};

/** A stray fence in the middle or at the end. */
const strayFence: Repairer = ({ code, problem }) => {
  const fence = /^[ \t]*`{3,}[\w-]*[ \t]*$/gm;
  const near = [...code.matchAll(fence)].filter(
    ({ index, 0: text }) => problem.start >= index - 2 && problem.start <= index + text.length + 1,
  );
  const all = near.length > 0 ? near : [...code.matchAll(fence)].slice(0, 1);
  return all.map(({ index, 0: text }) =>
    remove("A stray Markdown fence was removed.", index, index + text.length),
  );
};

/** Words before the code: “Here is your component:”. */
const proseBefore: Repairer = ({ code, problem, before }) => {
  if (before.split("\n").some((line) => CODE_LINE.test(line))) return [];
  const lines = code.split("\n");
  const first = lines.findIndex((line) => CODE_LINE.test(line));
  if (first <= 0) return [];
  const end = lines.slice(0, first).join("\n").length + 1;
  if (problem.start > end) return [];
  return [remove("Words before the code were removed.", 0, end)];
};

/** Words after the code: “This component shows …”. */
const proseAfter: Repairer = ({ code, problem }) => {
  const { start } = lineAround(code, problem.start);
  const rest = code.slice(start);
  const lines = rest.split("\n").filter((line) => line.trim() !== "");
  if (start === 0 || !PROSE_LINE.test(lines[0] ?? "") || lines.some((line) => /[;{}]\s*$/.test(line)))
    return [];
  return [remove("Words after the code were removed.", start, code.length)];
};

/** Typographic quotes around a text. */
const typographicQuotes: Repairer = ({ code, problem, after }) => {
  const sign = after[0] ?? "";
  if (!/^[“”„‘’‚´]/.test(sign)) return [];
  const quote = /[“”„]/.test(sign) ? '"' : "'";
  const line = lineAround(code, problem.start);
  const inside = code.slice(problem.start + 1, line.end);
  const close = /[“”‘’´]/.exec(inside);
  const edits = [{ start: problem.start, end: problem.start + 1, text: quote }];
  if (close) {
    const at = problem.start + 1 + close.index;
    edits.push({ start: at, end: at + 1, text: quote });
  }
  return [{ message: "Typographic quotes became plain ones.", edits }];
};

const LOOKALIKES = new Map(
  "– - — - − - × * ÷ / ； ; ， , （ ( ） ) ： : … ... ≥ >= ≤ <= ≠ !== → => ⇒ =>"
    .match(/\S+ \S+/g)
    ?.map((pair) => pair.split(" ") as [string, string]),
);

/** A character that JavaScript does not use: replaced where it looks like one that it does, otherwise removed. */
const strangeCharacter: Repairer = ({ problem, after }) => {
  if (!/Invalid (?:Character|Unicode)|Unexpected token/i.test(problem.message)) return [];
  const char = [...after][0] ?? "";
  if (char.charCodeAt(0) < 0x80) return [];
  const text = LOOKALIKES.get(char) ?? "";
  const message =
    text === "" ? "A character that no program has was removed." : `“${char}” became “${text}”.`;
  return [replace(message, problem.start, problem.start + char.length, text)];
};

/** `# a comment`, or a bare `...` that stands for omitted code. */
const foreignLine: Repairer = ({ code, problem }) => {
  const line = lineAround(code, problem.start);
  const indent = /^\s*/.exec(line.text)?.[0].length ?? 0;
  const start = line.start + indent;
  if (/^\s*#(?!\w+\s*[(;=])/.test(line.text))
    return [replace("A comment began with “#”.", start, start + 1, "//")];
  if (/^\s*\.\.\.[^,;{}()=]*$/.test(line.text))
    return [remove("A line that only stood for more code was removed.", start, line.end)];
  return [];
};

export const TEXT_REPAIRS: readonly Repairer[] = [
  entities,
  escapedLines,
  lineNumbers,
  proseBefore,
  typographicQuotes,
  strangeCharacter,
  foreignLine,
  entityHere,
  strayFence,
  proseAfter,
];
