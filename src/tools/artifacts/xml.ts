/** The first reason why a text is not well-formed XML. */
export interface XmlProblem {
  message: string;
  at: number;
}

const NAME = /[A-Za-z_:][\w:.-]*/y;
const ENTITY = /&(?:#\d+|#x[\da-fA-F]+|amp|lt|gt|quot|apos);/y;

/** How comments and declarations begin and end; the most specific first. */
const DECLARATIONS = [
  ["<!--", "-->"],
  ["<?", "?>"],
  ["<![CDATA[", "]]>"],
  ["<!", ">"],
] as const;

/** Returns the first problem of a text as XML with one root element, or undefined if it is well-formed. */
export function wellFormed(code: string): XmlProblem | undefined {
  const open: { name: string; at: number }[] = [];
  let at = 0;
  let roots = 0;
  while (at < code.length) {
    const end = DECLARATIONS.find(([start]) => code.startsWith(start, at))?.[1];
    if (end !== undefined) {
      const close = code.indexOf(end, at + 2);
      if (close === -1) return { message: "A comment or declaration is never closed.", at };
      at = close + end.length;
    } else if (code.startsWith("</", at)) {
      const name = nameAt(code, at + 2);
      const last = open.pop();
      if (last === undefined) return { message: `</${name}> closes nothing.`, at };
      if (last.name !== name) return { message: `<${last.name}> is closed by </${name}>.`, at };
      const close = code.indexOf(">", at);
      if (close === -1 || code.slice(at + 2 + name.length, close).trim() !== "")
        return { message: `</${name}> is not complete.`, at };
      at = close + 1;
    } else if (code[at] === "<") {
      const tag = readTag(code, at);
      if ("message" in tag) return tag;
      if (open.length === 0) roots++;
      if (!tag.closed) open.push({ name: tag.name, at });
      at = tag.end;
    } else {
      if (code[at] === "&" && !isEntity(code, at))
        return { message: "“&” has to be written as “&amp;”.", at };
      if (open.length === 0 && !/\s|\uFEFF/.test(code[at] ?? ""))
        return { message: "There is text outside of the drawing.", at };
      at++;
    }
  }
  const last = open.at(-1);
  if (last) return { message: `<${last.name}> is never closed.`, at: last.at };
  return roots === 1 ? undefined : { message: "There has to be one element around everything.", at: 0 };
}

function readTag(code: string, start: number): { name: string; end: number; closed: boolean } | XmlProblem {
  const name = nameAt(code, start + 1);
  if (name === "") return { message: "“<” has to be written as “&lt;”.", at: start };
  const seen = new Set<string>();
  let at = start + 1 + name.length;
  while (at < code.length) {
    while (/\s/.test(code[at] ?? "")) at++;
    if (code.startsWith("/>", at)) return { name, end: at + 2, closed: true };
    if (code[at] === ">") return { name, end: at + 1, closed: false };
    const attribute = nameAt(code, at);
    if (attribute === "") return { message: `<${name}> has something that is no attribute.`, at };
    if (seen.has(attribute)) return { message: `<${name}> has “${attribute}” twice.`, at };
    seen.add(attribute);
    at += attribute.length;
    while (/\s/.test(code[at] ?? "")) at++;
    const quote = code[at] === "=" ? code.slice(at + 1).trimStart()[0] : undefined;
    if (quote !== '"' && quote !== "'")
      return { message: `The attribute “${attribute}” of <${name}> has no quoted value.`, at };
    const from = code.indexOf(quote, at) + 1;
    const to = code.indexOf(quote, from);
    if (to === -1) return { message: `The attribute “${attribute}” of <${name}> is never closed.`, at };
    const value = code.slice(from, to);
    if (value.includes("<"))
      return { message: `The attribute “${attribute}” of <${name}> contains “<”.`, at };
    for (let amp = value.indexOf("&"); amp !== -1; amp = value.indexOf("&", amp + 1))
      if (!isEntity(value, amp)) return { message: "“&” has to be written as “&amp;”.", at: from + amp };
    if (attribute.startsWith("xlink:") && !code.includes("xmlns:xlink"))
      return { message: "“xlink” is used but not declared.", at };
    at = to + 1;
    if (!/[\s/>]/.test(code[at] ?? ">"))
      return { message: `<${name}> needs a space between attributes.`, at };
  }
  return { message: `<${name}> is not complete.`, at: start };
}

function nameAt(code: string, at: number): string {
  NAME.lastIndex = at;
  return NAME.exec(code)?.[0] ?? "";
}

function isEntity(text: string, at: number): boolean {
  ENTITY.lastIndex = at;
  return ENTITY.test(text);
}
