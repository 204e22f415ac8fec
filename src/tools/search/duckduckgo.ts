import { isObject } from "../../protocol/json.ts";
import type { Found, SearchProvider } from "./provider.ts";

/** Instant answers from encyclopedias, with links. Not a search of the whole web. */
export const duckduckgo: SearchProvider = {
  id: "duckduckgo",
  label: "DuckDuckGo",
  baseUrl: "https://api.duckduckgo.com",
  baseUrlSetting: "DUCKDUCKGO_BASE_URL",
  minimumScore: 0,
  priceUsd: 0,
  likesKeywords: true,
  request: ({ query }, { baseUrl }) => ({
    url: `${baseUrl}/?${new URLSearchParams({ q: query, format: "json", no_html: "1", no_redirect: "1", t: "tackle" })}`,
    headers: {},
  }),
  read(answer) {
    if (!isObject(answer) || !("RelatedTopics" in answer || "AbstractText" in answer)) return undefined;
    const { Heading: title, AbstractURL: url } = answer;
    const about = [answer.Answer, answer.AbstractText, answer.Definition].filter(
      (text) => typeof text === "string" && text !== "",
    );
    const instant = about.length > 0 ? [{ title, url, snippet: about.join(" ") }] : [];
    return { found: [...instant, ...topicsOf(answer.Results), ...topicsOf(answer.RelatedTopics)] };
  },
  // Its rate-limit statuses. 202 can also come with an answer.
  statuses: { 202: "busy", 403: "busy" },
  advice:
    "DuckDuckGo's instant answers know subjects, such as people, places and things, not news or whole questions. " +
    "Try the name of the subject alone.",
};

/** Reads single topics and named groups of topics. */
function topicsOf(topics: unknown): Found[] {
  if (!Array.isArray(topics)) return [];
  return topics.filter(isObject).flatMap((topic) => {
    const inner = Array.isArray(topic.Topics) ? topic.Topics.filter(isObject) : [topic];
    return inner.map(({ Text: text, FirstURL: url }) => ({ title: titleOf(text), url, snippet: text }));
  });
}

/** The subject at the beginning of a topic: `Ada Lovelace - English mathematician…` */
function titleOf(text: unknown): string {
  return typeof text === "string" ? (text.split(/ [-–—] |\. /, 1)[0] ?? "") : "";
}
