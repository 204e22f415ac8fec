import { defineProviderSearch } from "../search/tool.ts";

export default defineProviderSearch(
  {
    name: "web_search_exa",
    description:
      "Searches the web with Exa, which understands whole sentences and finds pages by their meaning: good for research, " +
      "papers, companies and pages like a described one. Returns numbered results to cite.",
  },
  "exa",
);
