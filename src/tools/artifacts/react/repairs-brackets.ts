import { lineAround } from "../source.ts";
import { closersOf, openAt } from "./brackets.ts";
import { insert, type Repair, type Repairer, remove, replace } from "./repairer.ts";

/** A method chain that a semicolon cut off from its beginning, or that has no beginning. */
const orphanedChain: Repairer = ({ code, before, after }) => {
  if (!/^\??\.[A-Za-z_$]/.test(after)) return [];
  const bare = before.replace(/(?:\s|\/\/[^\n]*\n|\/\*[^*]*\*\/)+$/, "");
  const start = before.length;
  const depth = openAt(code, start).length;
  const end = chainEnds(code, start).find((one) => openAt(code, one).length === depth);
  return [
    ...(bare.endsWith(";")
      ? [remove("A semicolon cut a chain of methods in two.", bare.length - 1, bare.length)]
      : []),
    ...(end === undefined
      ? []
      : [remove("A chain of methods that belongs to nothing was removed.", start, end)]),
  ];
};

function chainEnds(code: string, start: number): number[] {
  const ends = [...code.slice(start).matchAll(/;|\n(?!\s*\??\.)/g)].slice(0, 60);
  return [...ends.map(({ index, 0: text }) => start + index + (text === ";" ? 1 : 0)), code.length];
}

/** The code stops in the middle: closes everything that is open, if need be after dropping an unfinished statement or tag. */
const closeAtEnd: Repairer = ({ code, problem }) => {
  const unterminated = /Unterminated (?:string|template)/.test(problem.message);
  if (code.slice(problem.start).trim() !== "" && !unterminated) return [];
  const message = "The code stopped in the middle; what was open is closed now.";
  return [code.length, ...lastBreaks(code)].map((cut) =>
    replace(message, cut, code.length, `\n${closersOf(openAt(code, cut))}\n`),
  );
};

/** The ends of the last lines, tags and statements. */
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

const openString: Repairer = ({ code, problem }) => {
  if (!/Unterminated string/.test(problem.message)) return [];
  const quote = code[problem.start] ?? "";
  const line = lineAround(code, problem.start);
  const tail = /[;,)\]}\s/>]*$/.exec(line.text)?.[0].length ?? 0;
  return Array.from({ length: tail + 1 }, (_, index) =>
    insert("A text had no closing quote.", line.end - tail + index, quote),
  );
};

/** Inserts the token that the parser expects. */
const expected: Repairer = ({ problem, before, after }) => {
  const names = /^Expected (.+?) but found/.exec(problem.message)?.[1];
  if (names === undefined) return [];
  const wanted = [...names.matchAll(/`([^`]+)`/g)].map(([, sign]) => sign ?? "");
  const { start } = problem;
  const repairs: Repair[] = [];
  for (const sign of wanted.filter((one) => /^[,;:)\]}=>]+$/.test(one))) {
    const message = `“${sign}” was missing.`;
    if (sign === "," && /^[;.]/.test(after))
      repairs.push(replace(`“${after[0]}” stood where “,” belongs.`, start, start + 1, ","));
    repairs.push(insert(message, before.trimEnd().length, sign), insert(message, start, sign));
  }
  return repairs;
};

const surplus: Repairer = ({ problem: { start }, after }) => {
  const sign = /^(?:\)|\]|\}|,|;|=>|>)/.exec(after)?.[0];
  return sign === undefined ? [] : [remove(`“${sign}” too many.`, start, start + sign.length)];
};

/** A closing bracket that does not match the bracket that is open. */
const wrongBracket: Repairer = ({ code, problem: { start }, before, after }) => {
  if (!/^[)\]}]/.test(after)) return [];
  const open = openAt(code, start).at(-1);
  if (!open) return [];
  const text = closersOf([open]);
  return [
    insert(`“${text}” was missing.`, before.trimEnd().length, text),
    replace(`“${text}” belongs here.`, start, start + 1, text),
  ];
};

const semicolon: Repairer = ({ problem: { message, start } }) =>
  /semicolon/.test(message) ? [insert("“;” was missing.", start, ";")] : [];

export const BRACKET_REPAIRS: readonly Repairer[] = [
  orphanedChain,
  openString,
  closeAtEnd,
  wrongBracket,
  expected,
  surplus,
  semicolon,
];
