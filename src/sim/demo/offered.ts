import type { OfferedTool } from "./conversation.ts";

/** Tools with the same purpose, best first. */
const ALTERNATIVES: Readonly<Record<string, readonly string[]>> = {
  "browser.search": [
    "browser.search",
    "web_search",
    "web_search_exa",
    "web_search_searxng",
    "web_search_duckduckgo",
  ],
};

const BUILT_IN =
  "get_time filesystem execute_command generate_artifact generate_image web_fetch browser.search todo ask_user skill delegate propose_plan remember search_files".split(
    " ",
  );

/** Normalizes what the wire may change in a name: `browser.search` and `browser_search` are the same. */
export function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9]+/g, "_").toLowerCase();
}

/** Returns the product's own name of a tool, or undefined if it is not built in. */
export function builtInName(name: string): string | undefined {
  const plain = plainName(name);
  return BUILT_IN.find((known) =>
    (ALTERNATIVES[known] ?? [known]).some((other) => plainName(other) === plain),
  );
}

/** Returns the offered tool with the purpose of the named one. */
export function offeredTool(tools: readonly OfferedTool[], name: string): OfferedTool | undefined {
  for (const wanted of ALTERNATIVES[name] ?? [name]) {
    const found = tools.find((tool) => plainName(tool.name) === plainName(wanted));
    if (found) return found;
  }
  return undefined;
}

/** Returns the offered tool that a text names: `get_time`, "use the dice tool". */
export function namedTool(tools: readonly OfferedTool[], text: string): OfferedTool | undefined {
  return longestFirst(tools).find((tool) => {
    const words = wordsOf(tool.name).map(escapeRegExp);
    if (words.length > 1) return new RegExp(`(?<!\\w)${words.join("[._:/-]+")}(?!\\w)`, "i").test(text);
    const name = words[0];
    return new RegExp(
      `\\b(?:use|call|invoke|try|using|run)\\s+(?:the\\s+)?${name}\\b|\\b${name}\\s+tool\\b`,
      "i",
    ).test(text);
  });
}

/** Returns the custom tool whose words all appear: "roll the dice" for `roll_dice`. */
export function toolByWords(
  tools: readonly OfferedTool[],
  text: string,
  options: { fewest: number },
): OfferedTool | undefined {
  const said = new Set((text.toLowerCase().match(/[\p{L}\d]+/gu) ?? []).map(stem));
  return longestFirst(tools).find((tool) => {
    if (builtInName(tool.name)) return false;
    const words = wordsOf(tool.name).filter((word) => !FILLERS.has(word));
    return words.length >= options.fewest && words.every((word) => said.has(stem(word)));
  });
}

const FILLERS = new Set(["get", "do", "the", "tool", "a", "an", "to", "of", "my", "mcp"]);

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|es|s|e)$/, "") : word;
}

function longestFirst(tools: readonly OfferedTool[]): OfferedTool[] {
  return [...tools].sort((a, b) => b.name.length - a.name.length);
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
