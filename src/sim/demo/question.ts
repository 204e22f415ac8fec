import type { Action } from "./action.ts";
import type { PastResult } from "./conversation.ts";

/** "Ask me which color I like: red, green or blue", "ask me whether I want tea or coffee". */
const ASK =
  /\bask\s+(?:me|the\s+(?:user|person))\b(?:\s+(?:first|a\s+question))*\s*(?:about|for|:)?\s*([^:]*)(?::\s*(.+))?/is;
const CHOICE = /\b(\p{L}[\p{L}\d-]*)\s+or\s+(?:an?\s+|the\s+)?(\p{L}[\p{L}\d-]*)$/iu;

/** Returns the question that a message wants to be asked. */
export function readQuestion(message: string): Action[] {
  const found = ASK.exec(message.trim().replace(/[.!?]+$/, ""));
  if (!found) return [];
  const [, about = "", list] = found;
  const pair = CHOICE.exec(about.trim());
  const options = list
    ? list.split(/\s*,\s*(?:or\s+|and\s+)?|\s+or\s+/i).filter((option) => option.trim() !== "")
    : [pair?.[1] ?? "", pair?.[2] ?? ""].filter(Boolean);
  const question = questionFrom(about.trim());
  const choices = options.length > 1 ? { options: options.slice(0, 4).map((one) => one.trim()) } : {};
  return [{ tool: "ask_user", arguments: { question, ...choices }, aim: `your answer to “${question}”` }];
}

/** Says what the answer was. */
export function questionAnswer({ text }: PastResult): string {
  const [, how, answer] = /The person (chose|answered): ([^\n<]+)/.exec(text) ?? [];
  if (answer === undefined) return "I got no answer, so I continue without one.";
  return how === "chose" ? `You chose **${answer.trim()}**.` : `You said: “${answer.trim()}”.`;
}

function questionFrom(about: string): string {
  const turned = about
    .replace(/^(?:whether|if)\s+i\b/i, "Do you")
    .replace(/^((?:which|what|how|where|when)(?:\s+\p{L}+)?)\s+i\s+(?=\p{L})/iu, "$1 do you ")
    .replace(/\bmy\b/gi, "your")
    .replace(/\bi\b/gi, "you");
  const whole = turned === "" ? "What should I do" : turned;
  return `${whole.charAt(0).toUpperCase()}${whole.slice(1)}?`;
}
