import { isBlock, type PageElement, type PageNode, textOf } from "./html-tree.ts";
import { tableBlocks } from "./markdown-table.ts";

export interface MarkdownOptions {
  /** The base of relative links. */
  base: string;
  /** Elements for which this returns true are left out. */
  skip(element: PageElement): boolean;
}

const MAX_LINK_LENGTH = 2_000;
const WRAPPED: Readonly<Record<string, string>> = {
  strong: "**",
  b: "**",
  em: "*",
  i: "*",
  del: "~~",
  s: "~~",
};

/** Converts an element to Markdown: headings, lists, tables, quotes, code, and links with absolute addresses. */
export function toMarkdown(element: PageElement, options: MarkdownOptions): string {
  return blocksOf(element.children, options).join("\n\n");
}

/** Converts content to blocks: paragraphs, headings, lists and so on. */
function blocksOf(nodes: readonly PageNode[], options: MarkdownOptions): string[] {
  const blocks: string[] = [];
  let line = "";
  const flush = () => {
    const paragraph = tidy(line);
    if (paragraph !== "") blocks.push(paragraph);
    line = "";
  };
  for (const node of nodes) {
    if (typeof node === "string") {
      line += collapse(node);
      continue;
    }
    if (options.skip(node)) continue;
    if (!isBlock(node) && !node.holdsBlock) {
      line += inlineOf(node, options);
      continue;
    }
    flush();
    for (const block of blockOf(node, options)) blocks.push(block);
  }
  flush();
  return blocks;
}

/** Converts content to one line, for headings and table cells. */
function lineOf(nodes: readonly PageNode[], options: MarkdownOptions): string {
  return blocksOf(nodes, options).join(" ").replaceAll("\n", " ");
}

function blockOf(element: PageElement, options: MarkdownOptions): string[] {
  const { name, children } = element;
  if (/^h[1-6]$/.test(name)) return headingBlocks(element, options);
  if (name === "ul" || name === "ol") return listBlocks(element, options);
  if (name === "pre") return codeBlocks(element);
  if (name === "table")
    return tableBlocks(element, {
      skip: options.skip,
      blocks: (nodes) => blocksOf(nodes, options),
      line: (nodes) => lineOf(nodes, options),
    });
  if (name === "hr") return ["---"];
  if (name === "dt" || name === "summary")
    return mapNonEmpty(lineOf(children, options), (text) => `**${text}**`);
  if (name === "blockquote") {
    const text = blocksOf(children, options).join("\n\n");
    return mapNonEmpty(text, (quoted) => quoted.replace(/^/gm, "> ").replace(/^> $/gm, ">"));
  }
  return blocksOf(children, options);
}

function headingBlocks(element: PageElement, options: MarkdownOptions): string[] {
  const text = lineOf(element.children, options).replace(/\s*[¶§#]$/, "");
  return mapNonEmpty(text, (heading) => `${"#".repeat(Number(element.name[1]))} ${heading}`);
}

function listBlocks(list: PageElement, options: MarkdownOptions): string[] {
  const items: string[] = [];
  let number = Number.parseInt(list.attributes.start ?? "1", 10) || 1;
  for (const child of list.children) {
    if (typeof child === "string" || options.skip(child)) continue;
    const blocks = blocksOf(child.name === "li" ? child.children : [child], options);
    if (blocks.length === 0) continue;
    const marker = list.name === "ol" ? `${number++}. ` : "- ";
    const text = blocks.reduce((joined, block) => {
      const separator = /^(?:- |\d+\. )/.test(block) ? "\n" : "\n\n";
      return `${joined}${separator}${block}`;
    });
    items.push(marker + text.replace(/\n(?=[^\n])/g, `\n${" ".repeat(marker.length)}`));
  }
  return items.length === 0 ? [] : [items.join("\n")];
}

function codeBlocks(element: PageElement): string[] {
  const code = textOf(element)
    .replace(/^\r?\n/, "")
    .trimEnd();
  if (code.trim() === "") return [];
  const inner = element.children.find((child) => typeof child !== "string" && child.name === "code");
  const classes = [element, inner].map((one) => (typeof one === "object" ? one.attributes.class : "") ?? "");
  const language = /(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,30})/.exec(classes.join(" "))?.[1];
  const fence = "`".repeat(Math.max(3, longestRun(code, "`") + 1));
  return [`${fence}${language ?? ""}\n${code}\n${fence}`];
}

function inlineOf(node: PageNode, options: MarkdownOptions): string {
  if (typeof node === "string") return collapse(node);
  if (options.skip(node)) return "";
  const { name } = node;
  if (name === "br") return "\n";
  if (name === "img") return imageOf(node, options);
  if (name === "code" || name === "kbd" || name === "samp") return codeSpan(textOf(node));
  if (name === "math" && node.attributes.alttext) return `$${node.attributes.alttext}$`;
  if (name === "wbr" || name === "title") return "";
  const text = node.children.map((child) => inlineOf(child, options)).join("");
  if (name === "a") return linkOf(node, text, options);
  const mark = Object.hasOwn(WRAPPED, name) ? WRAPPED[name] : undefined;
  return mark === undefined ? text : aroundText(text, (inner) => `${mark}${inner}${mark}`);
}

function linkOf(element: PageElement, text: string, options: MarkdownOptions): string {
  const href = element.attributes.href?.trim() ?? "";
  if (href === "" || href.startsWith("#")) return text;
  const address = absoluteUrl(href, options.base);
  if (address === undefined) return text;
  return aroundText(text, (inner) => `[${inner.replaceAll("\n", " ")}](${address})`);
}

/** Images without alternative text are decoration and left out, as are data URLs. */
function imageOf(element: PageElement, options: MarkdownOptions): string {
  const words = tidy(collapse(element.attributes.alt ?? "")).replace(/[[\]]/g, "");
  const address = absoluteUrl(element.attributes.src ?? "", options.base);
  return words === "" || address === undefined ? "" : `![${words}](${address})`;
}

function absoluteUrl(href: string, base: string): string | undefined {
  const url = URL.parse(href, base);
  if (!url || !["http:", "https:", "mailto:"].includes(url.protocol)) return undefined;
  if (url.href.length > MAX_LINK_LENGTH) return undefined;
  return url.href.replaceAll("(", "%28").replaceAll(")", "%29");
}

function codeSpan(text: string): string {
  return aroundText(collapse(text), (code) => {
    const ticks = "`".repeat(longestRun(code, "`") + 1);
    return ticks.length === 1 ? `\`${code}\`` : `${ticks} ${code} ${ticks}`;
  });
}

/** Wraps text without its surrounding spaces. */
function aroundText(text: string, wrap: (inner: string) => string): string {
  const inner = text.trim();
  if (inner === "") return text === "" ? "" : " ";
  const before = text.startsWith(inner) ? "" : " ";
  const after = text.endsWith(inner) ? "" : " ";
  return `${before}${wrap(inner)}${after}`;
}

function mapNonEmpty(text: string, write: (text: string) => string): string[] {
  return text.trim() === "" ? [] : [write(text)];
}

function collapse(text: string): string {
  return text.replace(/\s+/g, " ");
}

function tidy(line: string): string {
  return line
    .replace(/ {2,}/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function longestRun(text: string, character: string): number {
  let longest = 0;
  let run = 0;
  for (const one of text) {
    run = one === character ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
