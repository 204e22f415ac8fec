import { lineAround } from "../source.ts";
import { insert, type Repairer, replace } from "./repairer.ts";

/** An import that begins like a variable: `const * as X from "y"`. */
const importLikeVariable: Repairer = ({ code, problem }) => {
  const from =
    Math.max(code.lastIndexOf(";", problem.start - 1), code.lastIndexOf("=", problem.start - 1)) + 1;
  const starts = [...code.slice(from, problem.end + 1).matchAll(/(?<![\w$.])(?:const|let|var)\b/g)];
  const start = starts.at(-1);
  if (!start) return [];
  const at = from + start.index;
  if (!/^(?:const|let|var)\s[^=;]*?[\s}]from\s*["'\w@]/.test(code.slice(at, at + 2_000))) return [];
  return [replace(`“${start[0]} … from” was meant as an import.`, at, at + start[0].length, "import")];
};

/** `import React from React`: the module's name without its quotes. */
const unquotedModule: Repairer = ({ before, after, problem }) => {
  if (!/\b(?:from|import)\s*$/.test(before)) return [];
  const name = /^[@\w][\w@./-]*/.exec(after)?.[0];
  if (name === undefined) return [];
  const known = name.toLowerCase() === "react" || /^react-?dom$/i.test(name) ? name.toLowerCase() : name;
  const text = JSON.stringify(known === "reactdom" ? "react-dom" : known);
  return [replace(`The module ${text} had no quotes.`, problem.start, problem.start + name.length, text)];
};

const missingFrom: Repairer = ({ problem: { message, start } }) =>
  /Expected `from`/.test(message) ? [insert("An import had no “from”.", start, " from ")] : [];

/** `import useState, useEffect from "react"`: names without their braces. */
const bareNames: Repairer = ({ code, problem }) => {
  const line = lineAround(code, problem.start);
  const match = /^(\s*import\s+)([A-Za-z_$][\w$]*(?:\s*,\s*[A-Za-z_$][\w$]*)+)(\s+from\b)/.exec(line.text);
  if (!match?.[1] || !match[2]) return [];
  const [first = "", ...others] = match[2].split(/\s*,\s*/);
  const text = /^React$/i.test(first) ? `${first}, { ${others.join(", ")} }` : `{ ${match[2]} }`;
  const start = line.start + match[1].length;
  return [replace("Imported names had no braces.", start, start + match[2].length, text)];
};

/** `export default const App = …`: a default export cannot declare a variable. */
const defaultVariable: Repairer = ({ code, before, after }) => {
  const words = /export\s+default\s+$/.exec(before);
  const name = /^(?:const|let|var)\s+([A-Za-z_$][\w$]*)/.exec(after)?.[1];
  if (!words || name === undefined) return [];
  return [
    {
      message: "A default export cannot declare a variable: it was split in two.",
      edits: [
        { start: words.index, end: words.index + words[0].length, text: "" },
        { start: code.length, end: code.length, text: `\nexport default ${name};\n` },
      ],
    },
  ];
};

const IMPORT_WITHOUT_END = /^\s*import\b[^"']*(["'])[^"'\n]*$/;

/** `import React from "react`: the quote at the end is missing. */
const openModuleName: Repairer = ({ code, problem }) => {
  if (!/Unterminated string/.test(problem.message)) return [];
  const line = lineAround(code, problem.start);
  const quote = IMPORT_WITHOUT_END.exec(line.text)?.[1];
  if (quote === undefined) return [];
  const end = line.start + line.text.replace(/[;\s]*$/, "").length;
  return [insert("The name of a module had no closing quote.", end, quote)];
};

export const MODULE_REPAIRS: readonly Repairer[] = [
  importLikeVariable,
  unquotedModule,
  missingFrom,
  bareNames,
  defaultVariable,
  openModuleName,
];
