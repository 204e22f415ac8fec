import { Parser } from "htmlparser2";

/** An element of a page. */
export interface PageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: PageNode[];
  /** It contains a block element. */
  holdsBlock: boolean;
}

export type PageNode = PageElement | string;

export interface HtmlTree {
  root: PageElement;
  /** Number of scripts that were left out. */
  scripts: number;
  /** The page was too large and is incomplete. */
  cut: boolean;
}

/** Deeper elements are merged into their ancestor, so that walking the tree cannot exhaust the stack. */
const MAX_DEPTH = 120;
const MAX_NODES = 300_000;
/** The parser becomes slow beyond this. Real pages have far fewer. */
const MAX_OPEN_TAGS = 5_000;

const LEFT_OUT: ReadonlySet<string> = new Set(
  (
    "script style noscript template svg iframe frame object embed applet canvas audio video map " +
    "select datalist button input textarea dialog"
  ).split(" "),
);

const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main nav ol p pre section summary table tbody td tfoot th " +
    "thead tr ul"
  ).split(" "),
);

const HIDING_STYLE =
  /(?:^|;)(?:display:none|visibility:hidden|opacity:0(?:\.0+)?(?=;|!|$)|font-size:0(?:px)?(?=;|!|$))/;

/** Whether an element is a block. */
export function isBlock(element: PageElement): boolean {
  return BLOCKS.has(element.name);
}

/** Builds the tree of visible content: no scripts, styles, comments, form fields or hidden elements. */
export function parseHtml(html: string): HtmlTree {
  const root: PageElement = { name: "html", attributes: {}, children: [], holdsBlock: true };
  const tree: HtmlTree = { root, scripts: 0, cut: false };
  const open: PageElement[] = [root];
  // For every open tag, what happened to it. Only "kept" elements are in `open`.
  const tags: ("kept" | "merged" | "left-out")[] = [];
  let leftOut = 0;
  let nodes = 0;

  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (tags.length >= MAX_OPEN_TAGS || nodes >= MAX_NODES) {
          tree.cut = true;
          parser.pause();
          return;
        }
        if (name === "script") tree.scripts += 1;
        if (leftOut > 0 || LEFT_OUT.has(name) || isHidden(attributes)) {
          tags.push("left-out");
          leftOut += 1;
          return;
        }
        if (open.length > MAX_DEPTH) {
          tags.push("merged");
          return;
        }
        nodes += 1;
        tags.push("kept");
        const element: PageElement = { name, attributes, children: [], holdsBlock: false };
        open.at(-1)?.children.push(element);
        if (isBlock(element)) markBlock(open);
        open.push(element);
      },
      onclosetag() {
        const tag = tags.pop();
        if (tag === "left-out") leftOut -= 1;
        if (tag === "kept") open.pop();
      },
      ontext(text) {
        const children = open.at(-1)?.children;
        if (leftOut > 0 || !children) return;
        const last = children.at(-1);
        // The parser reports every entity as a separate text.
        if (typeof last === "string") children[children.length - 1] = last + text;
        else children.push(text);
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.end(html);
  return tree;
}

function markBlock(open: readonly PageElement[]): void {
  for (let index = open.length - 1; index >= 0; index--) {
    const element = open[index];
    if (!element || element.holdsBlock) return;
    element.holdsBlock = true;
  }
}

function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  if ("hidden" in attributes && attributes.hidden !== "until-found") return true;
  if (attributes["aria-hidden"] === "true") return true;
  const style = (attributes.style ?? "").replace(/\s+/g, "").toLowerCase();
  return HIDING_STYLE.test(style);
}

/** Iterates over an element and everything in it, parents first. */
export function* descendants(element: PageElement): Generator<PageElement> {
  yield element;
  for (const child of element.children) if (typeof child !== "string") yield* descendants(child);
}

/** Whether an element or one of its descendants has one of these names. */
export function holds(element: PageElement, names: ReadonlySet<string>): boolean {
  for (const inner of descendants(element)) if (names.has(inner.name)) return true;
  return false;
}

/** The text of an element as it is in the source. */
export function textOf(node: PageNode): string {
  if (typeof node === "string") return node;
  if (node.name === "br") return "\n";
  return node.children.map(textOf).join("");
}
