import type { EventOf } from "../../../protocol/events.ts";
import type { JsonObject } from "../../../protocol/json.ts";

// What our own searches found, in the forms of OpenAI's.

type Source = EventOf<"web_search">["data"]["sources"][number];

/** Asks for what a search found. */
export const SEARCH_SOURCES = "web_search_call.action.sources";

/** Returns what a search found, each page once. */
export function foundPages(sources: readonly Source[]): { type: "url"; url: string }[] {
  return [...new Set(sources.map(({ url }) => url))].map((url) => ({ type: "url", url }));
}

/** Ends a path that begins with the address of another page. */
const CONTINUES = /^(?:[\w~%@=&+$?#-]|[/.:,;!][\w~%@=&+$?#-])/;

/** Returns the pages of searches that a text names, in order. A link in Markdown counts as a whole. */
export function citationsIn(text: string, sources: readonly Source[]): JsonObject[] {
  const titles = new Map(sources.map(({ url, title }) => [url, title]));
  const found = [...titles].flatMap(([url, title]) =>
    placesOf(text, url).map((place) => ({ type: "url_citation", ...place, title, url })),
  );
  return found.sort((a, b) => a.start_index - b.start_index);
}

function placesOf(text: string, url: string): { start_index: number; end_index: number }[] {
  const places: { start_index: number; end_index: number }[] = [];
  for (let start = text.indexOf(url); start >= 0; start = text.indexOf(url, start + url.length)) {
    const end = start + url.length;
    if (!CONTINUES.test(text.slice(end, end + 2))) places.push(withLink(text, start, end));
  }
  return places;
}

function withLink(text: string, start: number, end: number) {
  const opening = text.lastIndexOf("[", start);
  const isLink = opening >= 0 && text.startsWith("](", start - 2) && text[end] === ")";
  return isLink ? { start_index: opening, end_index: end + 1 } : { start_index: start, end_index: end };
}
