import type { Summary } from "../protocol/context.ts";
import type { Situation } from "../protocol/guard.ts";
import { isSentIn, type Message, type Part, textOf } from "../protocol/messages.ts";
import type { Turn } from "./turn.ts";

/**
 * What the model has read so far, in the session's history and in this run. A summary stands for the messages that were not
 * loaded: what they were tainted with, and the person's words that it quotes. Its own text is never the person's.
 */
export function situationOf(
  history: readonly Message[],
  parts: readonly Part[],
  messageLabels: readonly string[] = [],
  { taint, quotes = [] }: Partial<Pick<Summary, "taint" | "quotes">> = {},
): Situation {
  const outside = new Set(taint?.outside);
  const workspace = new Set(taint?.workspace);
  const privateReads = new Set(taint?.privateReads);
  const suspicious = new Set(taint?.suspicious);
  if (messageLabels.length > 0) suspicious.add("message");
  const words: string[] = [];
  const all = [...history.flatMap((message) => message.parts), ...parts];
  for (const part of all) {
    if (part.type !== "tool_result") continue;
    words.push(...(part.personTexts ?? []));
    // An error can contain text from outside, just like a result.
    if (part.trust === "untrusted") (part.origin === "workspace" ? workspace : outside).add(part.toolName);
    if (!part.success) continue;
    if (part.labels) suspicious.add(part.toolName);
    // The output of a tool that changes something, such as a command, is private data too.
    if (part.effect === "read" || part.effect === "write") privateReads.add(part.toolName);
  }
  // The author of an attached file or image need not be the person.
  if (history.some(hasAttachment) || all.some((part) => isSentIn(part) && isFile(part)))
    outside.add("an attached file");
  if (history.some(wasImported)) outside.add("an imported conversation");
  const personTexts = history
    .filter((message) => message.role === "user" && !wasImported(message))
    .map(textOf);
  for (const part of all) if (isSentIn(part) && part.type === "text") words.push(part.text);
  personTexts.unshift(...quotes.map(({ text }) => text));
  return {
    outside: [...outside],
    workspace: [...workspace],
    privateReads: [...privateReads],
    suspicious: [...suspicious],
    personTexts: [...personTexts, ...words],
  };
}

/** The same for a turn. A child run starts with what its parent had read; its message is not the person's. */
export function situationIn(
  { history, context, inherited }: Pick<Turn, "history" | "context" | "inherited">,
  parts: readonly Part[],
  messageLabels: readonly string[],
): Situation {
  if (!inherited) return situationOf(history, parts, messageLabels, context?.view.summary);
  const own = situationOf([], parts, messageLabels);
  const both = (key: keyof Situation) => [...new Set([...inherited[key], ...own[key]])];
  return {
    outside: both("outside"),
    workspace: both("workspace"),
    privateReads: both("privateReads"),
    suspicious: both("suspicious"),
    personTexts: both("personTexts"),
  };
}

function wasImported({ parts }: Message): boolean {
  return parts.some((part) => part.type === "text" && part.origin === "import");
}

function hasAttachment({ role, parts }: Message): boolean {
  return role === "user" && parts.some(isFile);
}

function isFile(part: Part): boolean {
  return part.type === "image" || (part.type === "text" && part.file !== undefined);
}
