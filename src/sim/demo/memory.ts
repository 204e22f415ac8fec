import type { Action } from "./action.ts";
import type { Conversation, PastResult } from "./conversation.ts";

const REMEMBER = /^(?:please\s+|and\s+)?(?:remember|note|keep in mind)\s*(?:that\s+|:\s*)(.+?)[.!]*$/is;
const SEARCH =
  /\b(?:search|look|find)\b[^.?!]{0,40}?\b(?:my|the|our|its|project(?:'s)?)\s+(?:project\s+)?(?:files?|documents?)\b\s*(?:for|about|on)?\s*(.+)|\bwhat do(?:es)?\s+(?:my|the|our)\s+(?:project'?s?\s+)?(?:files?|documents?)\s+say\s+(?:about|on)\s+(.+)/is;

/** "Remember that I like tea." */
export function readRemember(message: string): Action[] {
  const text = REMEMBER.exec(message.trim())?.[1]?.trim();
  if (text === undefined) return [];
  return [{ tool: "remember", arguments: { text: text.slice(0, 500) }, aim: "what you want remembered" }];
}

/** "Search the files for desks", "what do the files say about desks?" */
export function readFileSearch(message: string): Action[] {
  const [, asked, said] = SEARCH.exec(message) ?? [];
  const query = (asked ?? said)?.replace(/[?.!\s]+$/, "").replace(/^["“](.*)["”]$/, "$1");
  if (!query) return [];
  return [{ tool: "search_files", arguments: { query }, aim: `what the files say about “${query}”` }];
}

/** Shows the passages that were found, with their places. */
export function passagesAnswer({ text }: PastResult): string {
  const passages = [
    ...text.matchAll(/^\[\d+\] (.+?), ((?:page|line) \d+):\n([\s\S]*?)(?=\n\n\[\d+\] |(?![\s\S]))/gm),
  ];
  if (passages.length === 0) return "The files of this project say nothing about that.";
  const lines = passages
    .slice(0, 3)
    .map(
      ([, name, place, passage = ""]) =>
        `- **${name}**, ${place}: ${passage.replace(/\s+/g, " ").slice(0, 200)}`,
    );
  return `This is what the files say:\n\n${lines.join("\n")}`;
}

/** Returns the lines that it is told to remember. */
export function rememberedIn({ system }: Pick<Conversation, "system">): string[] {
  const told = /<memory>\n([\s\S]*?)\n<\/memory>/.exec(system)?.[1] ?? "";
  return told.split("\n").filter((line) => line.startsWith("- "));
}
