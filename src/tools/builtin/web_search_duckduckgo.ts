import { defineProviderSearch } from "../search/tool.ts";

export default defineProviderSearch(
  {
    name: "web_search_duckduckgo",
    description:
      "Looks a subject up in DuckDuckGo's instant answers: a short summary of a person, place, thing or term, and pages " +
      "about it. Not a search of the whole web: give the name of the subject alone. Returns numbered results to cite.",
  },
  "duckduckgo",
);
