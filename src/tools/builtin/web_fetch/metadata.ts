import { descendants, type PageElement, textOf } from "./html-tree.ts";

/** Title, author and other facts about a page. */
export interface PageMetadata {
  title?: string;
  byline?: string;
  published?: string;
  site?: string;
  description?: string;
  /** The base of relative links. */
  base: string;
  /** The target of an automatic redirect. */
  refresh?: string;
}

const MAX_LENGTH = 300;

const SOURCES = {
  title: ["og:title", "twitter:title"],
  byline: ["author", "article:author", "dc.creator", "citation_author"],
  published: "article:published_time datepublished date dc.date pubdate citation_publication_date".split(" "),
  site: ["og:site_name", "application-name"],
  description: ["description", "og:description"],
};

/** Collects facts from the head of a page, or from its text where the head has none. */
export function metadataOf(root: PageElement, url: string): PageMetadata {
  const metas = new Map<string, string>();
  let title: string | undefined;
  let heading: string | undefined;
  let time: string | undefined;
  let base = url;
  for (const element of descendants(root)) {
    const { name, attributes } = element;
    if (name === "meta") {
      const key = attributes.name ?? attributes.property ?? attributes.itemprop ?? attributes["http-equiv"];
      if (key && attributes.content && !metas.has(key.toLowerCase())) {
        metas.set(key.toLowerCase(), attributes.content);
      }
    }
    if (name === "title") title ??= short(textOf(element));
    if (name === "h1") heading ??= short(textOf(element));
    if (name === "time") time ??= short(attributes.datetime);
    if (name === "base" && attributes.href) base = URL.parse(attributes.href, url)?.href ?? base;
  }
  const first = (names: string[]) => names.map((name) => short(metas.get(name))).find((value) => value);
  const byline = first(SOURCES.byline);
  return {
    title: title ?? first(SOURCES.title) ?? heading,
    byline: byline?.startsWith("http") ? undefined : byline,
    published: first(SOURCES.published) ?? time,
    site: first(SOURCES.site),
    description: first(SOURCES.description),
    base,
    refresh: refreshOf(metas.get("refresh"), base),
  };
}

function refreshOf(content: string | undefined, base: string): string | undefined {
  const target = /^[\d.\s]*[;,]\s*url\s*=\s*["']?([^"']{1,2000})/i.exec(content ?? "")?.[1];
  const url = target === undefined ? null : URL.parse(target.trim(), base);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

function short(text: string | undefined): string | undefined {
  const line = (text ?? "")
    .slice(0, MAX_LENGTH * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line === "" ? undefined : line.slice(0, MAX_LENGTH);
}
