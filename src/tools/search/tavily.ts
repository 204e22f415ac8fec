import { isObject } from "../../protocol/json.ts";
import type { SearchProvider } from "./provider.ts";

export const tavily: SearchProvider = {
  id: "tavily",
  label: "Tavily",
  baseUrl: "https://api.tavily.com",
  baseUrlSetting: "TAVILY_BASE_URL",
  keySetting: "TAVILY_API_KEY",
  minimumScore: 0.2,
  priceUsd: 0.008,
  likesKeywords: true,
  request: ({ query, maxResults }, { baseUrl, key }) => ({
    url: `${baseUrl}/search`,
    headers: { authorization: `Bearer ${key ?? ""}` },
    body: { query, max_results: maxResults, search_depth: "basic" },
  }),
  checkRequest: ({ baseUrl, key }) => ({
    url: `${baseUrl}/usage`,
    headers: { authorization: `Bearer ${key ?? ""}` },
  }),
  read(answer) {
    if (!isObject(answer) || !Array.isArray(answer.results)) return undefined;
    const found = answer.results
      .filter(isObject)
      .map(({ title, url, content, score }) => ({ title, url, snippet: content, score }));
    return { found };
  },
  // Plan limit and pay-as-you-go limit.
  statuses: { 432: "exhausted", 433: "exhausted" },
};
