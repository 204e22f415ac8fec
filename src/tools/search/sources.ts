import type { Source } from "../../protocol/events.ts";
import type { Found } from "./provider.ts";

const MAX_URL = 2_048;
const MAX_TITLE = 300;
const MAX_SNIPPET = 1_000;
const TRACKING = /^(?:utm_.*|gclid|dclid|fbclid|msclkid|mc_cid|mc_eid|igshid|yclid|_hsenc|_hsmi|ref_src)$/i;

/** Validates results: web addresses only, each page once, no low scores, at most `maxResults`. */
export function toSources(found: readonly Found[], minimumScore: number, maxResults: number): Source[] {
  const byPage = new Map<string, Source>();
  for (const one of found) {
    const source = toSource(one);
    if (!source || (source.relevanceScore ?? 1) < minimumScore) continue;
    const page = pageKey(source.url);
    const known = byPage.get(page);
    if (!known) byPage.set(page, source);
    else if ((source.relevanceScore ?? 0) > (known.relevanceScore ?? 0)) byPage.set(page, source);
  }
  return [...byPage.values()].slice(0, maxResults);
}

/** A key that is the same for all addresses of a page: without fragment, tracking parameters, `www.` and trailing slash. */
export function pageKey(address: string): string {
  const url = new URL(address);
  for (const name of [...url.searchParams.keys()]) if (TRACKING.test(name)) url.searchParams.delete(name);
  url.searchParams.sort();
  const path = url.pathname.replace(/\/+$/, "");
  const query = url.searchParams.size > 0 ? `?${url.searchParams}` : "";
  return `${url.host.replace(/^www\./, "")}${path}${query}`;
}

function toSource({ title, url, snippet, score }: Found): Source | undefined {
  const address = webAddress(url);
  if (!address) return undefined;
  const name = oneLine(title, MAX_TITLE) || new URL(address).hostname;
  const relevanceScore = typeof score === "number" && Number.isFinite(score) ? rounded(score) : undefined;
  return {
    title: name,
    url: address,
    snippet: oneLine(snippet, MAX_SNIPPET),
    relevanceScore,
  };
}

function webAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MAX_URL) return undefined;
  const url = URL.parse(value.trim());
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined;
  url.username = "";
  url.password = "";
  return url.href;
}

/** Plain text on one line, so that no text can imitate another source. Removes tags and invisible characters. */
function oneLine(value: unknown, maxCharacters: number): string {
  if (typeof value !== "string") return "";
  const text = value
    .slice(0, maxCharacters * 4)
    .replace(/<\/?[a-z][^<>]{0,200}>/gi, " ")
    .replace(/\p{Cf}/gu, "")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  if (text.length <= maxCharacters) return text.toWellFormed();
  return `${text.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, "")}…`.toWellFormed();
}

function rounded(score: number): number {
  return Math.round(Math.min(1, Math.max(0, score)) * 1_000) / 1_000;
}

/** Formats results for the model, numbered for citations. */
export function formatSources(query: string, sources: readonly Source[], hint: string): string {
  const head = `WEB SEARCH RESULTS\nQuery: ${query.replace(/\s+/g, " ")}`;
  if (sources.length === 0) return `${head}\n\nNo results were found. ${hint}`;
  const blocks = sources.map(({ title, url, snippet }, index) =>
    [`Source ${index + 1}: ${title}`, `URL: ${url}`, snippet].filter((line) => line !== "").join("\n"),
  );
  return [head, ...blocks, "Cite what you use by its number, as in [1]."].join("\n\n");
}
