import { insert, type Repairer, remove, replace } from "./repairer.ts";

/** Words that a module cannot use as names. */
const RESERVED: ReadonlySet<string> = new Set(
  "break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with yield let static implements interface package private protected public await".split(
    " ",
  ),
);

/** A reserved word used as a name: renamed here and wherever it is used. */
const reservedName: Repairer = ({ code, problem, after, before, renamed }) => {
  const here = /^[A-Za-z_$][\w$]*/.exec(after)?.[0];
  const previous = /([A-Za-z_$][\w$]*)\s*$/.exec(before);
  const found: { word: string; at: number }[] = [];
  const declares = /reserved word|Expected `Identifier`|Cannot assign|Identifier expected/i.test(
    problem.message,
  );
  if (here !== undefined && RESERVED.has(here) && (declares || renamed.has(here)))
    found.push({ word: here, at: problem.start });
  if (here !== undefined && RESERVED.has(here) && /\b(?:const|let|var|function)\s+$/.test(before))
    found.push({ word: here, at: problem.start });
  // `const new = 1`: the parser accepts the word and stops at what follows.
  if (previous?.[1] !== undefined && RESERVED.has(previous[1])) {
    const declared = /\b(?:const|let|var|function)\s+$/.test(before.slice(0, previous.index));
    if (declared || renamed.has(previous[1])) found.push({ word: previous[1], at: previous.index });
  }
  return found.flatMap(({ word, at }) => {
    const name = renamed.get(word) ?? freeName(code, word);
    const message = `“${word}” is a reserved word; it is called “${name}” now.`;
    const accept = () => renamed.set(word, name);
    const end = at + word.length;
    return [
      { ...replace(message, at, end, name), accept },
      { ...replace(message, at, end, `${word}: ${name}`), accept },
    ];
  });
};

function freeName(code: string, word: string): string {
  for (let suffix = "Value"; ; suffix += "_") {
    if (!new RegExp(`\\b${word}${suffix}\\b`).test(code)) return `${word}${suffix}`;
  }
}

/** `const [a, setA] useState(0)`: a declaration without its “=”. */
const missingEquals: Repairer = ({ code, problem }) => {
  const rest = code.slice(problem.end);
  if (!/Missing initializer/.test(problem.message) || !/^\s*[A-Za-z_$(]/.test(rest)) return [];
  return [insert("A declaration had no “=”.", problem.end, " =")];
};

/** `function App() => {` and `const App = () {`. */
const arrows: Repairer = ({ problem, after, before }) => {
  const start = problem.start + (/^\s*/.exec(after)?.[0].length ?? 0);
  const rest = after.trimStart();
  if (rest.startsWith("=>") && /\)\s*(?::[^=]*)?$/.test(before))
    return [remove("An arrow stood where none belongs.", start, start + 2)];
  if (rest.startsWith("{") && /\)\s*$/.test(before)) return [insert("An arrow was missing.", start, "=> ")];
  return [];
};

/** `{ background-color: "red" }`: a key that JavaScript spells in camel case. */
const hyphenatedKey: Repairer = ({ code, after, before }) => {
  if (!after.startsWith("-")) return [];
  const head = /[\w]+$/.exec(before)?.[0];
  const tail = /^(?:-\w+)+(?=\s*:)/.exec(after)?.[0];
  if (head === undefined || tail === undefined) return [];
  const start = before.length - head.length;
  const text = (head + tail).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const end = start + code.slice(start).indexOf(tail) + tail.length;
  return [replace(`The key “${head}${tail}” is spelled “${text}” in JavaScript.`, start, end, text)];
};

export const WORD_REPAIRS: readonly Repairer[] = [reservedName, missingEquals, arrows, hyphenatedKey];
