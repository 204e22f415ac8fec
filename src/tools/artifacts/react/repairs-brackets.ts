import { lineAround } from "../source.ts";
import { closersOf, openAt } from "./brackets.ts";
import type { Repair, Repairer } from "./repair.ts";

/** A chain of methods whose beginning was cut off by a semicolon, or is not there at all. */
const orphanedChain: Repairer = ({ code, before, after }) => {
  if (!/^\??\.[A-Za-z_$]/.test(after)) return [];
  const bare = before.replace(/(?:\s|\/\/[^\n]*\n|\/\*[^*]*\*\/)+$/, "");
  const repairs: Repair[] = [];
  if (bare.endsWith(";")) {
    const start = bare.length - 1;
    repairs.push({
      message: "A semicolon cut a chain of methods in two.",
      edits: [{ start, end: start + 1, text: "" }],
    });
  }
  const start = before.length;
  const depth = openAt(code, start).length;
  for (const end of chainEnds(code, start)) {
    if (openAt(code, end).length !== depth) continue;
    repairs.push({
      message: "A chain of methods that belongs to nothing was removed.",
      edits: [{ start, end, text: "" }],
    });
    break;
  }
  return repairs;
};

function chainEnds(code: string, start: number): number[] {
  const ends = [...code.slice(start).matchAll(/;|\n(?!\s*\??\.)/g)].slice(0, 60);
  return [...ends.map(({ index, 0: text }) => start + index + (text === ";" ? 1 : 0)), code.length];
}

/** The text stops in the middle: everything that is open is closed. */
const closeAtEnd: Repairer = ({ code, problem }) => {
  const unterminated = /Unterminated (?:string|template)/.test(problem.message);
  if (code.slice(problem.start).trim() !== "" && !unterminated) return [];
  const message = "The code stopped in the middle; what was open is closed now.";
  const repairs: Repair[] = [];
  // Where it stops in the middle of a statement or a tag, that is given up.
  const cuts = [code.length, ...lastBreaks(code)];
  for (const cut of cuts) {
    const text = closersOf(openAt(code, cut));
    repairs.push({ message, edits: [{ start: cut, end: code.length, text: `\n${text}\n` }] });
  }
  return repairs;
};

/** Ends of the last lines, tags and statements: places to give up from. */
function lastBreaks(code: string): number[] {
  const found: number[] = [];
  for (let at = code.length - 1; at > 0 && found.length < 40; at--) {
    const char = code[at];
    if (char === "\n") found.push(at);
    else if (char === ">" || char === ";" || char === "}" || char === ",")
      found.push(char === "," ? at : at + 1);
  }
  return found;
}

/** A text without its closing quote. */
const openString: Repairer = ({ code, problem }) => {
  if (!/Unterminated string/.test(problem.message)) return [];
  const quote = code[problem.start] ?? "";
  const line = lineAround(code, problem.start);
  const tail = /[;,)\]}\s/>]*$/.exec(line.text)?.[0].length ?? 0;
  const message = "A text had no closing quote.";
  return Array.from({ length: tail + 1 }, (_, index) => {
    const at = line.end - tail + index;
    return { message, edits: [{ start: at, end: at, text: quote }] };
  });
};

/** What the parser says that it expects is put there. */
const expected: Repairer = ({ problem, before, after }) => {
  const names = /^Expected (.+?) but found/.exec(problem.message)?.[1];
  if (names === undefined) return [];
  const wanted = [...names.matchAll(/`([^`]+)`/g)].map(([, sign]) => sign ?? "");
  const at = before.replace(/\s+$/, "").length;
  const repairs: Repair[] = [];
  for (const sign of wanted.filter((one) => /^[,;:)\]}=>]+$/.test(one))) {
    const message = `“${sign}” was missing.`;
    if (sign === "," && /^[;.]/.test(after))
      repairs.push({
        message: `“${after[0]}” stood where “,” belongs.`,
        edits: [{ start: problem.start, end: problem.start + 1, text: "," }],
      });
    repairs.push({ message, edits: [{ start: at, end: at, text: sign }] });
    repairs.push({ message, edits: [{ start: problem.start, end: problem.start, text: sign }] });
  }
  return repairs;
};

/** A sign too many. */
const surplus: Repairer = ({ problem, after }) => {
  const sign = /^(?:\)|\]|\}|,|;|=>|>)/.exec(after)?.[0];
  if (sign === undefined) return [];
  const { start } = problem;
  return [{ message: `“${sign}” too many.`, edits: [{ start, end: start + sign.length, text: "" }] }];
};

/** Brackets that do not match, closed in the order in which they were opened. */
const wrongBracket: Repairer = ({ code, problem, before, after }) => {
  if (!/^[)\]}]/.test(after)) return [];
  const open = openAt(code, problem.start).at(-1);
  if (!open) return [];
  const text = closersOf([open]);
  const at = before.replace(/\s+$/, "").length;
  return [
    { message: `“${text}” was missing.`, edits: [{ start: at, end: at, text }] },
    { message: `“${text}” belongs here.`, edits: [{ start: problem.start, end: problem.start + 1, text }] },
  ];
};

const semicolon: Repairer = ({ problem }) => {
  if (!/semicolon/.test(problem.message)) return [];
  const { start } = problem;
  return [{ message: "“;” was missing.", edits: [{ start, end: start, text: ";" }] }];
};

export const BRACKET_REPAIRS: readonly Repairer[] = [
  orphanedChain,
  openString,
  closeAtEnd,
  wrongBracket,
  expected,
  surplus,
  semicolon,
];
