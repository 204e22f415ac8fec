import { element } from "./elements.js";

// A small part of Markdown: fences, headings, tables, lists, quotes, code, bold, italics, links. All else is plain text.

const INLINE =
  /`([^`]+)`|\*\*(\S(?:[^*]*\S)?)\*\*|\*(\S(?:[^*\n]*\S)?)\*|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g;
const FENCE = /^ {0,3}```(.*)$/;
const ITEM = /^ {0,8}(?:[-*+]|(\d{1,9})[.)]) +(.*)$/;
const ROW = /^ {0,3}\|(.*)\|\s*$/;
const RULE = /^ {0,3}\|(?:\s*:?-+:?\s*\|)+\s*$/;
const HEADING = /^(#{1,6}) +(.+)$/;

/** The nodes for a text. */
export function markdown(text) {
  const lines = text.split("\n");
  const nodes = [];
  for (let at = 0; at < lines.length; ) {
    const take =
      fence(lines, at) ??
      heading(lines, at) ??
      table(lines, at) ??
      list(lines, at) ??
      quote(lines, at) ??
      paragraph(lines, at);
    if (take.node) nodes.push(take.node);
    at = take.next;
  }
  return nodes;
}

/** How much of a growing text will not change its looks any more: up to the last empty line outside of a fence. */
export function settledLength(text) {
  let settled = 0;
  let offset = 0;
  let open = false;
  for (const line of text.split("\n").slice(0, -1)) {
    offset += line.length + 1;
    if (FENCE.test(line)) open = !open;
    if (!open && (line.trim() === "" || FENCE.test(line))) settled = offset;
  }
  return settled;
}

function fence(lines, at) {
  const opened = FENCE.exec(lines[at]);
  if (!opened) return undefined;
  let end = at + 1;
  while (end < lines.length && !FENCE.test(lines[end])) end += 1;
  const language = opened[1].trim();
  const code = element("code", {}, lines.slice(at + 1, end).join("\n"));
  return {
    node: element("pre", { "data-language": language || undefined, tabindex: "0" }, code),
    next: end + 1,
  };
}

function heading(lines, at) {
  const found = HEADING.exec(lines[at]);
  if (!found) return undefined;
  // The page's own title is the first level, so an answer's headings start below it.
  const level = Math.min(6, found[1].length + 1);
  return { node: element(`h${level}`, {}, ...inline(found[2])), next: at + 1 };
}

function table(lines, at) {
  if (!ROW.test(lines[at]) || !RULE.test(lines[at + 1] ?? "")) return undefined;
  const row = (line, cell) => {
    const cells = ROW.exec(line)[1].split("|");
    return element("tr", {}, ...cells.map((text) => element(cell, {}, ...inline(text.trim()))));
  };
  const body = element("tbody");
  let next = at + 2;
  for (; ROW.test(lines[next] ?? ""); next += 1) body.append(row(lines[next], "td"));
  return { node: element("table", {}, element("thead", {}, row(lines[at], "th")), body), next };
}

function list(lines, at) {
  const first = ITEM.exec(lines[at]);
  if (!first) return undefined;
  const made = first[1] ? element("ol", { start: first[1] }) : element("ul");
  let next = at;
  for (let item = first; item; item = ITEM.exec(lines[next] ?? "")) {
    if (Boolean(item[1]) !== Boolean(first[1])) break;
    made.append(element("li", {}, ...inline(item[2])));
    next += 1;
  }
  return { node: made, next };
}

function quote(lines, at) {
  let next = at;
  while (lines[next]?.startsWith(">")) next += 1;
  if (next === at) return undefined;
  const inner = lines.slice(at, next).map((line) => line.replace(/^> ?/, ""));
  return { node: element("blockquote", {}, ...inline(inner.join("\n"))), next };
}

function paragraph(lines, at) {
  const ends = (line) => line.trim() === "" || FENCE.test(line) || HEADING.test(line) || ITEM.test(line);
  if (lines[at].trim() === "") return { next: at + 1 };
  let next = at + 1;
  while (next < lines.length && !ends(lines[next])) next += 1;
  return { node: element("p", {}, ...inline(lines.slice(at, next).join("\n"))), next };
}

function inline(text) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(text.slice(from, match.index), inlineNode(match));
    from = match.index + match[0].length;
  }
  nodes.push(text.slice(from));
  return nodes;
}

function inlineNode([, code, bold, italic, label, address]) {
  if (code !== undefined) return element("code", {}, code);
  if (bold !== undefined) return element("strong", {}, bold);
  if (italic !== undefined) return element("em", {}, italic);
  return element("a", { href: address, rel: "noreferrer noopener", target: "_blank" }, label);
}
