import type { Exchange } from "./conversation.ts";

const FILE = /<attached_file\b[^>]*?\bname="([^"]*)"[^>]*>([\s\S]*?)<\/attached_file>/g;
const WANTED =
  /\b(?:summar|sum up|what(?:'s| is| does)|describe|read|tell me about|zusammenfass|fass\b|worum)/i;
const LONGEST_SENTENCE = 240;
const MOST_SENTENCES = 3;

/** Returns what the demo model says about attached files that came alone or shall be summarized; undefined otherwise. */
export function answerAboutFiles({ question, hasImage }: Exchange): string | undefined {
  const files = [...question.matchAll(FILE)].map(([, name = "", text = ""]) => ({ name, text: text.trim() }));
  const words = question.replace(FILE, "").trim();
  if (files.length === 0)
    return words === "" && hasImage ? "I can’t see pictures: that takes a real model." : undefined;
  if (words !== "" && !WANTED.test(words)) return undefined;
  return files.map(aboutFile).join("\n\n");
}

function aboutFile({ name, text }: { name: string; text: string }): string {
  const words = text.split(/\s+/).filter((word) => word !== "").length;
  const lines = text === "" ? 0 : text.split("\n").length;
  const count = (value: number, one: string) =>
    `${value.toLocaleString("en")} ${one}${value === 1 ? "" : "s"}`;
  const facts = `**${name}** has ${count(words, "word")} in ${count(lines, "line")}.`;
  const beginning = text
    .slice(0, 5_000)
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")
    .slice(0, MOST_SENTENCES)
    .map((sentence) => `> ${sentence.slice(0, LONGEST_SENTENCE).toWellFormed()}`);
  return beginning.length === 0 ? facts : [facts, "It begins:", beginning.join("\n>\n")].join("\n\n");
}
