import { isObject } from "../../protocol/json.ts";
import type { SearchProvider } from "./provider.ts";

export const exa: SearchProvider = {
  id: "exa",
  label: "Exa",
  baseUrl: "https://api.exa.ai",
  baseUrlSetting: "EXA_BASE_URL",
  keySetting: "EXA_API_KEY",
  minimumScore: 0.05,
  priceUsd: 0.005,
  likesKeywords: false,
  request: ({ query, maxResults }, { baseUrl, key }) => ({
    url: `${baseUrl}/search`,
    headers: { "x-api-key": key ?? "" },
    body: {
      query,
      numResults: maxResults,
      type: "auto",
      contents: { highlights: true },
    },
  }),
  read(answer) {
    if (!isObject(answer) || !Array.isArray(answer.results)) return undefined;
    const found = answer.results.filter(isObject).map(({ title, url, highlights, text, summary, score }) => ({
      title,
      url,
      snippet:
        Array.isArray(highlights) && highlights.length > 0 ? highlights.join(" … ") : (text ?? summary),
      score,
    }));
    const total = isObject(answer.costDollars) ? answer.costDollars.total : undefined;
    return { found, ...(typeof total === "number" && total >= 0 ? { costUsd: total } : {}) };
  },
  // No credits left.
  statuses: { 402: "exhausted" },
};
