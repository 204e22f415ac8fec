import { isObject } from "../../protocol/json.ts";
import type { SearchProvider } from "./provider.ts";

export const searxng: SearchProvider = {
  id: "searxng",
  label: "SearXNG",
  baseUrl: undefined,
  baseUrlSetting: "SEARXNG_BASE_URL",
  minimumScore: 0,
  priceUsd: 0,
  likesKeywords: true,
  request: ({ query }, { baseUrl }) => ({
    url: `${baseUrl}/search?${new URLSearchParams({ q: query, format: "json" })}`,
    headers: {},
  }),
  read(answer) {
    if (!isObject(answer) || !Array.isArray(answer.results)) return undefined;
    const results = answer.results.filter(isObject);
    // Its scores have no maximum, so they are relative to the best result.
    const best = Math.max(1, ...results.map(({ score }) => (typeof score === "number" ? score : 0)));
    const found = results.map(({ title, url, content, score }) => ({
      title,
      url,
      snippet: content,
      score: typeof score === "number" ? score / best : undefined,
    }));
    const silent = enginesIn(answer.unresponsive_engines);
    const note = `The search engines behind SearXNG did not answer: ${silent}.`;
    return { found, ...(found.length === 0 && silent !== "" ? { note } : {}) };
  },
  statuses: { 401: "setup", 403: "setup" },
  setup: 'It has to offer the format "json" (search.formats in its settings.yml) and let this server in.',
};

/** Names of engines, from `[["google", "CAPTCHA"], …]`. */
function enginesIn(list: unknown): string {
  if (!Array.isArray(list)) return "";
  const names = list.map((entry: unknown) => (Array.isArray(entry) ? entry[0] : entry));
  return names
    .filter((name): name is string => typeof name === "string" && /^[\w .-]{1,40}$/.test(name))
    .slice(0, 10)
    .join(", ");
}
