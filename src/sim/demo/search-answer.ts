import { isObject, parseObject } from "../../protocol/json.ts";
import type { PastResult } from "./conversation.ts";

interface Found {
  title: string;
  url: string;
  snippet: string;
}

const MOST_FOUND = 5;

/** Summarizes search results in a few lines, each with its citation number. */
export function searchAnswer({ call, text }: PastResult): string {
  const query = String(call.arguments.query ?? "that");
  const found = readFound(text).slice(0, MOST_FOUND);
  if (found.length === 0) {
    return text === "" || /no results/i.test(text)
      ? `The search for “${query}” found nothing. Other words may do better.`
      : `The search for “${query}” answered:\n\n${text.slice(0, 1_000)}`;
  }
  const points = found.map(
    ({ title, snippet }, index) =>
      `- **${title}**${snippet ? `: ${firstSentence(snippet)}` : ""} [${index + 1}]`,
  );
  const sources = found.map(({ title, url }, index) => `[${index + 1}] [${title}](${url})`);
  return [
    `What I found about “${query}”:`,
    "",
    ...points,
    "",
    "Sources:",
    "",
    ...sources.map((source) => `${source}  `),
  ]
    .join("\n")
    .trimEnd();
}

/** Reads results as JSON, or as blocks of lines with a URL each. */
function readFound(text: string): Found[] {
  const json = parseObject(text);
  const list: unknown = json?.sources ?? json?.results;
  if (Array.isArray(list)) {
    return list.filter(isObject).map((entry) => ({
      title: String(entry.title ?? entry.url),
      url: String(entry.url),
      snippet: String(entry.snippet ?? entry.content ?? ""),
    }));
  }
  return text
    .split(/\n(?=\s*(?:\[\d+\]|\d+[.)])\s)|\n{2,}/)
    .map(readBlock)
    .filter((found) => found !== undefined);
}

function readBlock(block: string): Found | undefined {
  const url = /https?:\/\/[^\s)>\]"]+/.exec(block)?.[0];
  if (!url) return undefined;
  const linked = /\[([^\]]+)\]\(https?:/.exec(block)?.[1];
  const lines = block
    .replace(/\(?<?https?:\/\/[^\s)>\]"]+>?\)?/g, "")
    .split("\n")
    .map((line) =>
      line
        .replace(/^\s*(?:\[\d+\]|\d+[.)]|[-*#>]+|url:|source(?:\s+\d+)?:|title:|snippet:)\s*/i, "")
        .replace(/\*\*/g, "")
        .trim(),
    )
    .filter((line) => /[\p{L}\d]/u.test(line));
  const title = linked ?? lines[0]?.replace(/[\s:–—-]+$/, "") ?? url;
  return { title, url, snippet: lines.slice(1).join(" ") };
}

function firstSentence(text: string): string {
  const sentence = /^.{20,240}?[.!?](?=\s|$)/s.exec(text.trim())?.[0] ?? text.trim().slice(0, 200);
  return sentence.replace(/\s+/g, " ").replace(/[.]$/, "");
}
