import { defineProviderSearch } from "../search/tool.ts";

export default defineProviderSearch(
  {
    name: "web_search_searxng",
    description:
      "Searches the web with SearXNG, which asks many search engines at once and tells none of them who asked. Takes " +
      "keywords and operators such as site:example.com. Returns numbered results to cite.",
  },
  "searxng",
);
