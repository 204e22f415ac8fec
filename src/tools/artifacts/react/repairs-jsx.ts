import type { Edit } from "../source.ts";
import { endOfElement, endOfOpeningTag, openAt, VOID_ELEMENTS } from "./brackets.ts";
import { insert, type Repairer, remove, replace, surround } from "./repairer.ts";

/** `<!-- … -->` and `<!DOCTYPE …>` inside of JSX. */
const markup: Repairer = ({ code, before, after, problem }) => {
  if (!after.startsWith("!") || !before.endsWith("<")) return [];
  const start = problem.start - 1;
  if (/^!doctype\b/i.test(after)) {
    const end = code.indexOf(">", start) + 1;
    return [remove("A document type was removed.", start, end)];
  }
  const close = code.indexOf("-->", start);
  if (!after.startsWith("!--") || close === -1) return [];
  const inside = code.slice(start + 4, close).replaceAll("*/", "* /");
  const message = "An HTML comment became one of JSX.";
  return [
    replace(message, start, close + 3, `{/*${inside}*/}`),
    replace(message, start, close + 3, `/*${inside}*/`),
  ];
};

/** An element followed by another element's closing tag: a void element, a forgotten closing tag, or a misspelled one. */
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
    return [{ message, edits: [{ start: end, end, text: " /" }, ...others] }, insert(message, end, " /")];
  }
  const closing = code.lastIndexOf("</", problem.start);
  const found = code.slice(closing + 2, code.indexOf(">", closing)).trim();
  const enclosing = openAt(code, closing).some(({ mark }) => mark === `<${found}`);
  const end = code.indexOf(">", closing);
  const close = insert(`<${name}> was never closed.`, closing, `</${name}>`);
  const rename = replace(`<${name}> was closed by </${found}>.`, closing + 2, end, name);
  const drop = remove(`</${found}> closed nothing and was removed.`, closing, end + 1);
  return enclosing ? [close, rename] : [rename, drop, close];
};

/** `<br>` that is still open at the end of the code. */
const openVoid: Repairer = ({ code, problem }) => {
  const edits = openVoids(code.slice(0, problem.start), [...VOID_ELEMENTS].join("|"));
  return edits.length === 0 ? [] : [{ message: "Elements like <br> are closed now.", edits }];
};

/** Edits that close all void elements of these names. */
function openVoids(code: string, names: string): Edit[] {
  const edits: Edit[] = [];
  for (const { index, 1: name } of code.matchAll(new RegExp(`<(${names})\\b`, "g"))) {
    const end = endOfOpeningTag(code, index);
    if (code[end] !== ">" || code[end - 1] === "/" || code.startsWith(`</${name}>`, end + 1)) continue;
    edits.push({ start: end, end, text: " /" });
  }
  return edits;
}

/** `<br></br>` and `</br>`. */
const closedVoid: Repairer = ({ code, problem }) => {
  const near = code.slice(Math.max(0, problem.start - 12), problem.start + 12);
  const match = /<\/(\w+)\s*>/.exec(near);
  if (!match?.[1] || !VOID_ELEMENTS.has(match[1])) return [];
  const start = Math.max(0, problem.start - 12) + match.index;
  return [remove(`</${match[1]}> closed nothing and was removed.`, start, start + match[0].length)];
};

/** Several elements where the parser expects one. */
const adjacent: Repairer = ({ code, problem }) => {
  if (!/Adjacent JSX/.test(problem.message)) return [];
  const stack = openAt(code, problem.start);
  const bracket = stack.at(-1);
  const message = "Elements side by side were put into a fragment.";
  if (bracket?.mark === "(") {
    const end = closingOf(code, bracket.at);
    if (end !== undefined) return [surround(message, bracket.at + 1, "<>", end, "</>")];
  }
  const beginnings = [...code.slice(0, problem.start).matchAll(BEFORE_ELEMENTS)].slice(-MAX_BEGINNINGS);
  for (const { index, 0: found } of beginnings.toReversed()) {
    const start = index + found.length;
    const end = endOfElements(code, start);
    if (end <= problem.start) continue;
    // A line break after `return` would end the statement.
    const open = /^return\s*\n/.test(found) ? index + "return".length : start;
    return [surround(message, open, open === start ? "(<>" : " (<>", end, "</>)")];
  }
  // The module holds nothing but elements.
  return [surround(message, code.search(/</), "(<>", code.length, "</>)")];
};

const MAX_BEGINNINGS = 20;

/** What an expression can begin after. */
const BEFORE_ELEMENTS = /(?:\breturn|=>|=|&&|\|\||\?|:)\s*(?=<)/g;

/** The end of the elements that stand side by side from `start` on. */
function endOfElements(code: string, start: number): number {
  let end = start;
  for (let next = start; /^<[A-Za-z>]/.test(code.slice(next, next + 2)); ) {
    end = endOfElement(code, next);
    next = end + (/^\s*/.exec(code.slice(end))?.[0].length ?? 0);
  }
  return end;
}

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
  const message = "A type parameter would be taken for an element; it has a comma now.";
  return last
    .toReversed()
    .map(({ index, 1: inside = "" }) => insert(message, index + 1 + inside.length, ","));
};

/** `>` and `}` as text between tags. */
const bareSign: Repairer = ({ problem: { message, start }, after }) => {
  const sign = after[0];
  if (!/Did you mean `\{'/.test(message) || (sign !== ">" && sign !== "}")) return [];
  return [replace(`“${sign}” between tags is written as text now.`, start, start + 1, `{"${sign}"}`)];
};

/** `{/* … *}` */
const openComment: Repairer = ({ code, problem }) => {
  if (!/Unterminated multiline comment/.test(problem.message)) return [];
  const rest = code.slice(problem.start);
  const half = /\*\s*\}/.exec(rest);
  const brace = /\}/.exec(rest.split("\n", 1)[0] ?? "");
  const message = "A comment was never closed.";
  const { start } = problem;
  const end = half ? start + half.index : 0;
  return [
    ...(half ? [replace(message, end, end + half[0].length, "*/}")] : []),
    ...(brace ? [insert(message, start + brace.index, "*/")] : []),
  ];
};

/** `style={color: "red"}`: an object without its own braces. */
const objectAttribute: Repairer = ({ code, before, after }) => {
  const open = /=\{\s*["']?[\w-]+["']?\s*$/.exec(before);
  if (!open || !after.startsWith(":")) return [];
  const start = open.index + 1;
  const depth = openAt(code, start + 1).length;
  for (let end = code.indexOf("}", start); end !== -1; end = code.indexOf("}", end + 1)) {
    if (openAt(code, end + 1).length >= depth) continue;
    return [surround("An object in an attribute had one pair of braces.", start, "{", end, "}")];
  }
  return [];
};

/** `{name</p>` and `onClick={() => go()>`: an expression without its closing brace. */
const openExpression: Repairer = ({ problem, before }) => {
  const message = "An expression between the tags was never closed.";
  if (/regular expression/.test(problem.message) && before.endsWith("<")) {
    return [insert(message, before.slice(0, -1).trimEnd().length, "}")];
  }
  const open = before.lastIndexOf("={");
  if (open === -1 || before.length - open > 500) return [];
  return [...before.slice(open).matchAll(/(?<!=)>/g)].map(({ index }) => insert(message, open + index, "}"));
};

/** CSS directly inside `<style>`: JSX takes its braces for expressions. */
const bareRules: Repairer = ({ code, problem }) => {
  const open = [...code.slice(0, problem.start).matchAll(/<style\b[^>{]*>/g)].at(-1);
  if (!open) return [];
  const from = open.index + open[0].length;
  const to = code.indexOf("</style>", from);
  const rules = code.slice(from, to);
  if (to < problem.start || rules.trimStart().startsWith("{")) return [];
  const text = `{\`${rules.replace(/[`\\]/g, "\\$&").replaceAll("${", "\\${")}\`}`;
  return [replace("Rules in <style> are a text now.", from, to, text)];
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
