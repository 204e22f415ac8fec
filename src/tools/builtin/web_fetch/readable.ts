import { descendants, holds, isBlock, type PageElement, parseHtml, textOf } from "./html-tree.ts";
import { type MarkdownOptions, toMarkdown } from "./markdown.ts";
import { metadataOf, type PageMetadata } from "./metadata.ts";

export interface ReadableHtml extends PageMetadata {
  markdown: string;
  /** Plain sentences about what the reader does not get to see. */
  notes: string[];
}

const MAX_HTML_LENGTH = 3_000_000;
/** With less text than this, the reader may wonder why. */
const LITTLE_TEXT = 200;
const NEXT_TO_NO_TEXT = 50;
const MADE_BY_SCRIPTS =
  /<noscript[^>]{0,200}>[^<]{0,300}javascript|<(?:div|app)[^>]{0,200}\bid=["']?(?:root|app|__next|__nuxt)\b/i;
const MAIN_HEADING: ReadonlySet<string> = new Set(["h1"]);
const FURNITURE_ROLES: ReadonlySet<string> = new Set(
  "navigation banner contentinfo search complementary dialog alertdialog menu menubar".split(" "),
);
const FURNITURE_NAMES =
  /(?:^|[\s_-])(?:nav|navbar|menu|breadcrumbs?|sidebar|footer|share|sharing|social|related|pagination|toc)(?:$|[\s_-])/i;
const CONSENT_NAMES = /cookie|consent|gdpr/i;

/** The readable part of a page as Markdown, with what the page says of itself. */
export function readHtml(html: string, url: string): ReadableHtml {
  const notes: string[] = [];
  const { root, scripts, cut } = parseHtml(html.slice(0, MAX_HTML_LENGTH));
  if (cut || html.length > MAX_HTML_LENGTH)
    notes.push("The page is too large or too deeply nested; only its beginning was read.");
  const metadata = metadataOf(root, url);
  const base = metadata.base;
  const body = [...descendants(root)].find((element) => element.name === "body") ?? root;
  const markdown = bestText(body, base);
  if (markdown.length < LITTLE_TEXT && metadata.refresh !== undefined) {
    notes.push(`The page only forwards to ${metadata.refresh}`);
  } else if (scripts > 0 && (markdown.length < NEXT_TO_NO_TEXT || isMadeByScripts(html, markdown))) {
    notes.push(
      "The page holds almost no text: it seems to be built by scripts in the browser, which are not run here.",
    );
  } else if (markdown === "") {
    notes.push("The page holds no text.");
  }
  return { ...metadata, markdown, notes };
}

function isMadeByScripts(html: string, markdown: string): boolean {
  return markdown.length < LITTLE_TEXT && MADE_BY_SCRIPTS.test(html.slice(0, MAX_HTML_LENGTH));
}

/** The main part; where that is empty, the page without its furniture, and then all of it. */
function bestText(body: PageElement, base: string): string {
  const main = mainOf(body);
  const attempts: [PageElement, MarkdownOptions["skip"]][] = [
    [main, main === body ? isFurniture : isFurnitureInside],
    [body, isFurniture],
    [body, (element) => element.name === "head"],
  ];
  for (const [element, skip] of attempts) {
    const text = toMarkdown(element, { base, skip });
    if (text !== "") return text;
  }
  return "";
}

/** The element that holds the text of the page: `main`, or an article that is most of it. */
function mainOf(body: PageElement): PageElement {
  const all = [...descendants(body)];
  const whole = lengthOf(body);
  const main = all.find((element) => element.name === "main" || element.attributes.role === "main");
  if (main && lengthOf(main) >= Math.min(LITTLE_TEXT, whole / 4)) return main;
  const articles = all
    .filter((element) => element.name === "article" || element.attributes.itemprop === "articleBody")
    .map((element) => ({ element, length: lengthOf(element) }));
  const largest = articles.reduce((one, other) => (other.length > one.length ? other : one), {
    element: body,
    length: whole / 2,
  });
  return largest.element;
}

function lengthOf(element: PageElement): number {
  return textOf(element).replace(/\s+/g, " ").length;
}

/** What surrounds the text of a page. */
function isFurniture(element: PageElement): boolean {
  if (element.name === "aside" || element.name === "footer") return true;
  if (element.name === "header") return !holds(element, MAIN_HEADING);
  return isFurnitureInside(element);
}

/** What is not part of the text even where it stands in the middle of it. */
function isFurnitureInside(element: PageElement): boolean {
  const { name, attributes } = element;
  if (name === "nav" || name === "head" || FURNITURE_ROLES.has(attributes.role ?? "")) return true;
  if (!isBlock(element) || name === "body" || name === "main" || name === "article") return false;
  const names = `${attributes.class ?? ""} ${attributes.id ?? ""}`.slice(0, 500);
  if (CONSENT_NAMES.test(names)) return lengthOf(element) < 1_500 && !holds(element, MAIN_HEADING);
  return FURNITURE_NAMES.test(names) && isMostlyLinks(element);
}

function isMostlyLinks(element: PageElement): boolean {
  let linked = 0;
  for (const inner of descendants(element)) if (inner.name === "a") linked += lengthOf(inner);
  return linked > lengthOf(element) * 0.5;
}
