import { defineSearch } from "../search/tool.ts";

export default defineSearch({
  name: "browser.search",
  aliases: ["web_search"],
  description:
    "Searches the web and returns the best results, numbered, with title, address and a passage of each. Use it for " +
    "what is new, disputed or not known for certain, and cite the sources by their numbers. web_fetch reads a result in full.",
});
