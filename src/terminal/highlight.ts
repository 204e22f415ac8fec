import type { Paint } from "./style.ts";

/** How a family of languages writes its comments and strings. */
interface Syntax {
  line?: string;
  block?: [open: string, close: string];
  quotes: string;
  keywords: ReadonlySet<string>;
  ignoreCase?: true;
}

const words = (text: string) => new Set(text.split(" "));

const C_WORDS =
  "abstract as async await break case catch class const continue default delete do else enum export extends final finally for from function if implements import in instanceof interface let new of override package private protected public readonly return static super switch this throw try type typeof var void while with yield true false null undefined int long float double bool boolean char string struct namespace using func fn impl match mod mut pub trait use where crate go defer chan map range select goto unsigned sizeof auto template virtual";
const C: Syntax = { line: "//", block: ["/*", "*/"], quotes: "\"'`", keywords: words(C_WORDS) };
const PYTHON: Syntax = {
  line: "#",
  quotes: "\"'",
  keywords: words(
    "and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield True False None self begin end module require rescue unless until then do nil",
  ),
};
const SHELL: Syntax = {
  line: "#",
  quotes: "\"'",
  keywords: words(
    "if then else elif fi for in do done while until case esac function return export local set unset echo cd exit source true false FROM RUN COPY CMD ENTRYPOINT ENV WORKDIR",
  ),
};
const SQL: Syntax = {
  line: "--",
  block: ["/*", "*/"],
  quotes: "'\"",
  ignoreCase: true,
  keywords: words(
    "select from where and or not insert into values update set delete create table index alter drop join left right inner outer on group by order having limit offset as distinct null is in exists union all primary key references default with returning",
  ),
};
const DATA: Syntax = { line: "#", quotes: "\"'", keywords: words("true false null yes no") };
const MARKUP: Syntax = { block: ["<!--", "-->"], quotes: "\"'", keywords: words("") };
const STYLES: Syntax = {
  block: ["/*", "*/"],
  quotes: "\"'",
  keywords: words("important media import supports"),
};

const LANGUAGES: readonly [names: string, syntax: Syntax][] = [
  [
    "js jsx ts tsx mjs cjs javascript typescript java kotlin kt c h cpp cc hpp cs csharp go rust rs swift php scala dart zig proto graphql jsonc json5",
    C,
  ],
  ["py python rb ruby", PYTHON],
  ["sh bash zsh fish shell console dockerfile makefile make", SHELL],
  ["sql", SQL],
  ["json yaml yml toml ini env conf properties", DATA],
  ["html xml svg vue svelte", MARKUP],
  ["css scss less", STYLES],
];
const SYNTAX = new Map(
  LANGUAGES.flatMap(([names, syntax]) => names.split(" ").map((name) => [name, syntax])),
);
const TOKEN = /\s+|[\p{L}_$][\p{L}\p{N}_$]*|\d[\w.]*|./gsu;

/** Colors the lines of one code block, one after another. It knows comments, strings, numbers and the usual words. */
export function highlighter(language: string, paint: Paint): (line: string) => string {
  const name =
    language
      .trim()
      .toLowerCase()
      .split(/[\s,{:]/, 1)[0] ?? "";
  if (name === "diff" || name === "patch") return (line) => paint(diffFormat(line), line);
  const syntax = SYNTAX.get(name);
  if (!syntax) return (line) => paint("cyan", line);
  let inComment = false;
  return (line) => {
    let rest = line;
    let colored = "";
    const take = (length: number, format?: Parameters<Paint>[0]) => {
      const piece = rest.slice(0, length);
      colored += format === undefined ? piece : paint(format, piece);
      rest = rest.slice(length);
    };
    while (rest !== "") {
      const [open, close] = syntax.block ?? [];
      if (inComment || (open !== undefined && rest.startsWith(open))) {
        const end = close === undefined ? -1 : rest.indexOf(close, inComment ? 0 : (open?.length ?? 0));
        inComment = end === -1;
        take(end === -1 ? rest.length : end + (close?.length ?? 0), "dim");
        continue;
      }
      if (
        syntax.line !== undefined &&
        rest.startsWith(syntax.line) &&
        /(?:^|[^:\w])$/.test(line.slice(0, line.length - rest.length))
      ) {
        take(rest.length, "dim");
        continue;
      }
      if (syntax.quotes.includes(rest[0] ?? "")) {
        take(stringLength(rest), "green");
        continue;
      }
      TOKEN.lastIndex = 0;
      const token = TOKEN.exec(rest)?.[0] ?? rest;
      const word = syntax.ignoreCase ? token.toLowerCase() : token;
      take(token.length, syntax.keywords.has(word) ? "magenta" : /^\d/.test(token) ? "yellow" : undefined);
    }
    return colored;
  };
}

/** The length of the string at the beginning, or of the rest of the line if it does not end there. */
function stringLength(text: string): number {
  const quote = text[0];
  for (let at = 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}

function diffFormat(line: string): "bold" | "cyan" | "green" | "red" | "reset" {
  if (/^(?:\+\+\+|---)/.test(line)) return "bold";
  if (line.startsWith("@@")) return "cyan";
  if (line.startsWith("+")) return "green";
  return line.startsWith("-") ? "red" : "reset";
}
