import type { Edit } from "../source.ts";
import { endOfOpeningTag, openAt, VOID_ELEMENTS } from "./brackets.ts";
import type { Repairer } from "./repair.ts";

/** `<!-- … -->` and `<!DOCTYPE …>` inside of JSX. */
const markup: Repairer = ({ code, before, after, problem }) => {
  if (!after.startsWith("!") || !before.endsWith("<")) return [];
  const start = problem.start - 1;
  if (/^!doctype\b/i.test(after)) {
    const end = code.indexOf(">", start) + 1;
    return [{ message: "A document type was removed.", edits: [{ start, end, text: "" }] }];
  }
  const close = code.indexOf("-->", start);
  if (!after.startsWith("!--") || close === -1) return [];
  const inside = code.slice(start + 4, close).replaceAll("*/", "* /");
  const message = "An HTML comment became one of JSX.";
  return [
    { message, edits: [{ start, end: close + 3, text: `{/*${inside}*/}` }] },
    { message, edits: [{ start, end: close + 3, text: `/*${inside}*/` }] },
  ];
};

/** An element that is closed by another's tag: one that HTML never closes, one that was forgotten, one misspelled. */
const wrongClosing: Repairer = ({ code, problem }) => {
  const { opened } = problem;
  if (!opened || !/closing tag|Expected corresponding/.test(problem.message)) return [];
  const name =
    code
      .slice(opened.start, opened.end)
      .replace(/^</, "")
      .match(/^[\w.:-]*/)?.[0] ?? "";
  const tagStart = code.lastIndexOf("<", opened.start);
  if (VOID_ELEMENTS.has(name)) {
    const end = endOfOpeningTag(code, tagStart);
    const others = openVoids(code, name).filter((edit) => edit.start !== end);
    const message = `<${name}> is closed now.`;
    return [
      { message, edits: [{ start: end, end, text: " /" }, ...others] },
      { message, edits: [{ start: end, end, text: " /" }] },
    ];
  }
  const closing = code.lastIndexOf("</", problem.start);
  const found = code.slice(closing + 2, code.indexOf(">", closing)).trim();
  const enclosing = openAt(code, closing).some(({ mark }) => mark === `<${found}`);
  const insert = {
    message: `<${name}> was never closed.`,
    edits: [{ start: closing, end: closing, text: `</${name}>` }],
  };
  const replace = {
    message: `<${name}> was closed by </${found}>.`,
    edits: [{ start: closing + 2, end: code.indexOf(">", closing), text: name }],
  };
  const drop = {
    message: `</${found}> closed nothing and was removed.`,
    edits: [{ start: closing, end: code.indexOf(">", closing) + 1, text: "" }],
  };
  return enclosing ? [insert, replace] : [replace, drop, insert];
};

/** `<br>` at the very end, where nothing else closes: the elements that are still open are looked at. */
const openVoid: Repairer = ({ code, problem }) => {
  const edits = openVoids(code.slice(0, problem.start), [...VOID_ELEMENTS].join("|"));
  return edits.length === 0 ? [] : [{ message: "Elements like <br> are closed now.", edits }];
};

/** Additions that close all elements of these names which HTML would not close. */
function openVoids(code: string, names: string): Edit[] {
  const edits: Edit[] = [];
  for (const { index, 1: name } of code.matchAll(new RegExp(`<(${names})\\b`, "g"))) {
    const end = endOfOpeningTag(code, index);
    if (code[end] !== ">" || code[end - 1] === "/" || code.startsWith(`</${name}>`, end + 1)) continue;
    edits.push({ start: end, end, text: " /" });
  }
  return edits;
}

/** `<br></br>` and `</br>`: a closing tag of what cannot have one. */
const closedVoid: Repairer = ({ code, problem }) => {
  const near = code.slice(Math.max(0, problem.start - 12), problem.start + 12);
  const match = /<\/(\w+)\s*>/.exec(near);
  if (!match?.[1] || !VOID_ELEMENTS.has(match[1])) return [];
  const start = Math.max(0, problem.start - 12) + match.index;
  return [
    {
      message: `</${match[1]}> closed nothing and was removed.`,
      edits: [{ start, end: start + match[0].length, text: "" }],
    },
  ];
};

/** Elements side by side where one is expected. */
const adjacent: Repairer = ({ code, problem }) => {
  if (!/Adjacent JSX/.test(problem.message)) return [];
  const stack = openAt(code, problem.start);
  const bracket = stack.at(-1);
  const message = "Elements side by side were put into a fragment.";
  if (bracket?.mark === "(") {
    const end = closingOf(code, bracket.at);
    if (end !== undefined)
      return [
        {
          message,
          edits: [
            { start: bracket.at + 1, end: bracket.at + 1, text: "<>" },
            { start: end, end, text: "</>" },
          ],
        },
      ];
  }
  const from = /(?:return|=>|=)\s*(?=<)/g;
  const begin = [...code.slice(0, problem.start).matchAll(from)].at(-1);
  const end = /;|\n\s*\}/.exec(code.slice(problem.start));
  // A module of nothing but elements.
  const start = begin ? begin.index + begin[0].length : code.search(/</);
  const stop = begin && end ? problem.start + end.index : code.length;
  return [
    {
      message,
      edits: [
        { start, end: start, text: "(<>" },
        { start: stop, end: stop, text: "</>)" },
      ],
    },
  ];
};

function closingOf(code: string, at: number): number | undefined {
  const depth = openAt(code, at + 1).length;
  for (let end = code.indexOf(")", at + 1); end !== -1; end = code.indexOf(")", end + 1)) {
    if (openAt(code, end + 1).length < depth && openAt(code, end).length === depth) return end;
  }
  return undefined;
}

/** `<T>(value: T) => value`: in a file with JSX the parser takes it for an element. */
const typeParameter: Repairer = ({ code, problem }) => {
  const pattern = /<([A-Z]\w*(?:\s+extends\s+[^<>]+)?(?:\s*,\s*[A-Z]\w*)*)>(?=\s*\()/g;
  const last = [...code.slice(0, problem.start + 1).matchAll(pattern)].filter(({ index }) =>
    /[=(,:]\s*(?:async\s*)?$/.test(code.slice(0, index)),
  );
  return last.toReversed().map(({ index, 1: inside = "" }) => ({
    message: "A type parameter would be taken for an element; it has a comma now.",
    edits: [{ start: index + 1, end: index + 1 + inside.length, text: `${inside},` }],
  }));
};

/** `>` and `}` as text between tags. */
const bareSign: Repairer = ({ problem, after }) => {
  const sign = after[0];
  if (!/Did you mean `\{'/.test(problem.message) || (sign !== ">" && sign !== "}")) return [];
  const { start } = problem;
  return [
    {
      message: `“${sign}” between tags is written as text now.`,
      edits: [{ start, end: start + 1, text: `{"${sign}"}` }],
    },
  ];
};

/** `{/* … *}` */
const openComment: Repairer = ({ code, problem }) => {
  if (!/Unterminated multiline comment/.test(problem.message)) return [];
  const rest = code.slice(problem.start);
  const half = /\*\s*\}/.exec(rest);
  const brace = /\}/.exec(rest.split("\n", 1)[0] ?? "");
  const message = "A comment was never closed.";
  const repairs = [];
  if (half) {
    const start = problem.start + half.index;
    repairs.push({ message, edits: [{ start, end: start + half[0].length, text: "*/}" }] });
  }
  if (brace) {
    const start = problem.start + brace.index;
    repairs.push({ message, edits: [{ start, end: start, text: "*/" }] });
  }
  return repairs;
};

/** `style={color: "red"}`: an object without its own braces. */
const objectAttribute: Repairer = ({ code, before, after }) => {
  const open = /=\{\s*["']?[\w-]+["']?\s*$/.exec(before);
  if (!open || !after.startsWith(":")) return [];
  const start = open.index + 1;
  const depth = openAt(code, start + 1).length;
  for (let end = code.indexOf("}", start); end !== -1; end = code.indexOf("}", end + 1)) {
    if (openAt(code, end + 1).length >= depth) continue;
    return [
      {
        message: "An object in an attribute had one pair of braces.",
        edits: [
          { start, end: start, text: "{" },
          { start: end, end, text: "}" },
        ],
      },
    ];
  }
  return [];
};

/** `{name</p>` and `onClick={() => go()>`: an expression that was never closed runs into the markup behind it. */
const openExpression: Repairer = ({ problem, before }) => {
  const message = "An expression between the tags was never closed.";
  if (/regular expression/.test(problem.message) && before.endsWith("<")) {
    const at = before.slice(0, -1).trimEnd().length;
    return [{ message, edits: [{ start: at, end: at, text: "}" }] }];
  }
  const open = before.lastIndexOf("={");
  if (open === -1 || before.length - open > 500) return [];
  return [...before.slice(open).matchAll(/(?<!=)>/g)].map(({ index }) => ({
    message,
    edits: [{ start: open + index, end: open + index, text: "}" }],
  }));
};

/** `<style>` with rules as they are: to JSX their braces are expressions. */
const bareRules: Repairer = ({ code, problem }) => {
  const open = [...code.slice(0, problem.start).matchAll(/<style\b[^>{]*>/g)].at(-1);
  if (!open) return [];
  const from = open.index + open[0].length;
  const to = code.indexOf("</style>", from);
  const rules = code.slice(from, to);
  if (to < problem.start || rules.trimStart().startsWith("{")) return [];
  const text = `{\`${rules.replace(/[`\\]/g, "\\$&").replaceAll("${", "\\${")}\`}`;
  return [{ message: "Rules in <style> are a text now.", edits: [{ start: from, end: to, text }] }];
};

export const JSX_REPAIRS: readonly Repairer[] = [
  markup,
  bareRules,
  wrongClosing,
  closedVoid,
  adjacent,
  typeParameter,
  openComment,
  openExpression,
  objectAttribute,
  bareSign,
  openVoid,
];
