import { descendants, holds, isBlock, type PageElement, parseHtml, textOf } from "./html-tree.ts";
import { type MarkdownOptions, toMarkdown } from "./markdown.ts";
import { metadataOf, type PageMetadata } from "./metadata.ts";

export interface ReadableHtml extends PageMetadata {
  markdown: string;
  /** Sentences about what is missing. */
  notes: string[];
}

const MAX_HTML_LENGTH = 3_000_000;
/** A page with less text gets a note that explains why. */
const LITTLE_TEXT = 200;
const ALMOST_NO_TEXT = 50;
const MADE_BY_SCRIPTS =
  /<noscript[^>]{0,200}>[^<]{0,300}javascript|<(?:div|app)[^>]{0,200}\bid=["']?(?:root|app|__next|__nuxt)\b/i;
const MAIN_HEADING: ReadonlySet<string> = new Set(["h1"]);
const BOILERPLATE_ROLES: ReadonlySet<string> = new Set(
  "navigation banner contentinfo search complementary dialog alertdialog menu menubar".split(" "),
);
const BOILERPLATE_NAMES =
  /(?:^|[\s_-])(?:nav|navbar|menu|breadcrumbs?|sidebar|footer|share|sharing|social|related|pagination|toc)(?:$|[\s_-])/i;
const CONSENT_NAMES = /cookie|consent|gdpr/i;

/** Converts the main part of a page to Markdown, with its metadata. */
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
  } else if (scripts > 0 && (markdown.length < ALMOST_NO_TEXT || isMadeByScripts(html, markdown))) {
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

/** The main part; if that is empty, the page without navigation and the like; if that is empty, the whole page. */
function bestText(body: PageElement, base: string): string {
  const main = mainOf(body);
  const attempts: [PageElement, MarkdownOptions["skip"]][] = [
    [main, main === body ? isBoilerplate : isBoilerplateInside],
    [body, isBoilerplate],
    [body, (element) => element.name === "head"],
  ];
  for (const [element, skip] of attempts) {
    const text = toMarkdown(element, { base, skip });
    if (text !== "") return text;
  }
  return "";
}

/** The main element of the page: `main`, or an article with most of the text. */
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

/** Whether an element is navigation, a footer or the like. */
function isBoilerplate(element: PageElement): boolean {
  if (element.name === "aside" || element.name === "footer") return true;
  if (element.name === "header") return !holds(element, MAIN_HEADING);
  return isBoilerplateInside(element);
}

/** The same for elements inside the main part. */
function isBoilerplateInside(element: PageElement): boolean {
  const { name, attributes } = element;
  if (name === "nav" || name === "head" || BOILERPLATE_ROLES.has(attributes.role ?? "")) return true;
  if (!isBlock(element) || name === "body" || name === "main" || name === "article") return false;
  const names = `${attributes.class ?? ""} ${attributes.id ?? ""}`.slice(0, 500);
  if (CONSENT_NAMES.test(names)) return lengthOf(element) < 1_500 && !holds(element, MAIN_HEADING);
  return BOILERPLATE_NAMES.test(names) && isMostlyLinks(element);
}

function isMostlyLinks(element: PageElement): boolean {
  let linked = 0;
  for (const inner of descendants(element)) if (inner.name === "a") linked += lengthOf(inner);
  return linked > lengthOf(element) * 0.5;
}
