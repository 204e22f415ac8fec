import { lineAround } from "../source.ts";
import type { Repairer } from "./repair.ts";

const CODE_LINE =
  /^\s*(?:import\b|export\b|const\b|let\b|var\b|function\b|async function\b|class\b|type\s+\w+\s*=|interface\b|enum\b|\/\/|\/\*|["']use \w+["']|<[A-Za-z>]|\(\)\s*=>|ReactDOM\b)/;
const PROSE_LINE =
  /^\s*(?:[-*#>]\s|\d+[.)]\s|\*\*|[A-Z“"'][\w’']*[\s,:]|(?:this|here|note|the|it|you|i|to)\b)/i;

/** Everything was written with HTML's entities. */
const entities: Repairer = ({ code }) => {
  if (!/&(?:lt|gt|amp|quot|#39);/.test(code) || /<\/?[A-Za-z]/.test(code)) return [];
  const text = code
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
  return [
    { message: "The code was written with HTML entities.", edits: [{ start: 0, end: code.length, text }] },
  ];
};

/** `=&gt;` and `&amp;&amp;` here and there. */
const entityHere: Repairer = ({ code, problem }) => {
  const around = /&(?:lt|gt|amp|quot|#39);/.exec(
    code.slice(Math.max(0, problem.start - 5), problem.start + 6),
  );
  if (!around) return [];
  const start = Math.max(0, problem.start - 5) + around.index;
  const text = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'" }[around[0]] ?? "";
  const all = [...code.slice(start).matchAll(new RegExp(`^(?:${around[0]})+`, "g"))][0]?.[0] ?? around[0];
  return [
    {
      message: `“${around[0]}” stood for “${text}”.`,
      edits: [{ start, end: start + all.length, text: text.repeat(all.length / around[0].length) }],
    },
  ];
};

/** All line ends were written out as `\n`. */
const escapedLines: Repairer = ({ code }) => {
  if (code.trim().includes("\n") || !code.includes("\\n")) return [];
  const text = code.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll('\\"', '"');
  return [{ message: "Line ends were written out.", edits: [{ start: 0, end: code.length, text }] }];
};

/** Each line had its number in front. */
const lineNumbers: Repairer = ({ code }) => {
  const lines = code.split("\n");
  const numbered = lines.filter((line) => line.trim() !== "");
  if (numbered.length < 2 || !numbered.every((line) => /^\s*\d+\s*[|:]/.test(line))) return [];
  const text = lines.map((line) => line.replace(/^\s*\d+\s*[|:] ?/, "")).join("\n");
  return [{ message: "Line numbers were removed.", edits: [{ start: 0, end: code.length, text }] }];
};

/** A stray fence in the middle or at the end. */
const strayFence: Repairer = ({ code, problem }) => {
  const fence = /^[ \t]*`{3,}[\w-]*[ \t]*$/gm;
  const near = [...code.matchAll(fence)].filter(
    ({ index, 0: text }) => problem.start >= index - 2 && problem.start <= index + text.length + 1,
  );
  const all = near.length > 0 ? near : [...code.matchAll(fence)].slice(0, 1);
  return all.map(({ index, 0: text }) => ({
    message: "A stray Markdown fence was removed.",
    edits: [{ start: index, end: index + text.length, text: "" }],
  }));
};

/** Words before the code: “Here is your component:”. */
const proseBefore: Repairer = ({ code, problem, before }) => {
  if (before.split("\n").some((line) => CODE_LINE.test(line))) return [];
  const lines = code.split("\n");
  const first = lines.findIndex((line) => CODE_LINE.test(line));
  if (first <= 0) return [];
  const end = lines.slice(0, first).join("\n").length + 1;
  if (problem.start > end) return [];
  return [{ message: "Words before the code were removed.", edits: [{ start: 0, end, text: "" }] }];
};

/** Words after the code: “This component shows …”. */
const proseAfter: Repairer = ({ code, problem }) => {
  const { start } = lineAround(code, problem.start);
  const rest = code.slice(start);
  const lines = rest.split("\n").filter((line) => line.trim() !== "");
  if (start === 0 || !PROSE_LINE.test(lines[0] ?? "") || lines.some((line) => /[;{}]\s*$/.test(line)))
    return [];
  return [{ message: "Words after the code were removed.", edits: [{ start, end: code.length, text: "" }] }];
};

const QUOTES: Record<string, string> = {
  "“": '"',
  "”": '"',
  "„": '"',
  "‘": "'",
  "’": "'",
  "‚": "'",
  "´": "'",
};

/** Typographic quotes around a text. */
const typographicQuotes: Repairer = ({ code, problem, after }) => {
  const quote = QUOTES[after[0] ?? ""];
  if (quote === undefined) return [];
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

const LOOKALIKES: Record<string, string> = {
  "–": "-",
  "—": "-",
  "−": "-",
  "×": "*",
  "÷": "/",
  "；": ";",
  "，": ",",
  "（": "(",
  "）": ")",
  "：": ":",
  "…": "...",
  "≥": ">=",
  "≤": "<=",
  "≠": "!==",
  "→": "=>",
  "⇒": "=>",
};

/** Characters that no program has: look-alikes are replaced, others dropped. */
const strangeCharacter: Repairer = ({ problem, after }) => {
  if (!/Invalid (?:Character|Unicode)|Unexpected token/i.test(problem.message)) return [];
  const char = [...after][0] ?? "";
  if (char.charCodeAt(0) < 0x80) return [];
  const text = LOOKALIKES[char] ?? "";
  return [
    {
      message: text === "" ? "A character that no program has was removed." : `“${char}” became “${text}”.`,
      edits: [{ start: problem.start, end: problem.start + char.length, text }],
    },
  ];
};

/** `# a comment`, as in other languages, or a bare `...` for what was left out. */
const foreignLine: Repairer = ({ code, problem }) => {
  const line = lineAround(code, problem.start);
  const indent = /^\s*/.exec(line.text)?.[0].length ?? 0;
  const start = line.start + indent;
  if (/^\s*#(?!\w+\s*[(;=])/.test(line.text))
    return [{ message: "A comment began with “#”.", edits: [{ start, end: start + 1, text: "//" }] }];
  if (/^\s*\.\.\.[^,;{}()=]*$/.test(line.text))
    return [
      {
        message: "A line that only stood for more code was removed.",
        edits: [{ start, end: line.end, text: "" }],
      },
    ];
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
