import { homedir } from "node:os";
import type { TranscriptMessage } from "../protocol/chat.ts";
import type { Usage } from "../protocol/model.ts";
import { truncate, widthOf } from "./lines.ts";

/** What an answer used, and how full the context window is. */
export type ShownUsage = Usage & { contextTokens?: number; contextWindow?: number };

/** Returns what the newest of these messages used, and what all of them cost. */
export function usedIn(messages: readonly TranscriptMessage[]): Pick<StatusFacts, "usage" | "costUsd"> {
  const { usage, compacted } = messages.findLast((message) => message.usage) ?? {};
  let costUsd = 0;
  for (const message of messages)
    costUsd += (message.usage?.costUsd ?? 0) + (message.compacted?.cost?.costUsd ?? 0);
  return {
    usage: usage && compacted ? { ...usage, contextTokens: compacted.tokensAfter } : usage,
    costUsd,
  };
}

export interface StatusFacts {
  model?: string | undefined;
  folder?: string | undefined;
  usage?: ShownUsage | undefined;
  costUsd: number;
  waiting: number;
}

/** The line below the prompt. In a narrow terminal, it leaves out what is least important. */
export function statusLine({ model, folder, usage, costUsd, waiting }: StatusFacts, columns: number): string {
  const name = model ?? "starting …";
  const context = contextWords(usage);
  const cost = costUsd > 0 ? dollars(costUsd) : "";
  const queue = waiting > 0 ? `${waiting} waiting` : "";
  const place = folder === undefined ? "" : shortFolder(folder);
  const last = place.split(/[\\/]/).at(-1) ?? "";
  const choices = [
    [name, place, context, cost, queue],
    [name, last, context, cost, queue],
    [name, last, shortContext(usage), cost, queue],
    [name.split("/").at(-1) ?? name, last, shortContext(usage), cost, queue],
    [name.split("/").at(-1) ?? name, shortContext(usage), cost, queue],
    [shortContext(usage), cost, queue],
  ].map((words) => `  ${words.filter((word) => word !== "").join(" · ")}`);
  return choices.find((line) => widthOf(line) <= columns) ?? truncate(choices.at(-1) ?? "", columns);
}

/** An amount of money for people. */
export function dollars(amount: number): string {
  return `$${amount < 0.1 ? amount.toFixed(4) : amount.toFixed(2)}`;
}

/** How full the context window is, in percent. Undefined if it is not known. */
export function percentUsed(usage: StatusFacts["usage"]): number | undefined {
  if (!usage?.contextTokens || !usage.contextWindow) return undefined;
  return Math.min(100, Math.ceil((100 * usage.contextTokens) / usage.contextWindow));
}

function contextWords(usage: StatusFacts["usage"]): string {
  const percent = percentUsed(usage);
  return percent === undefined ? "" : `${percent} % of ${tokens(usage?.contextWindow ?? 0)}`;
}

function shortContext(usage: StatusFacts["usage"]): string {
  const percent = percentUsed(usage);
  return percent === undefined ? "" : `${percent} %`;
}

/** A number of tokens for people. */
export function tokens(count: number): string {
  if (count >= 1_000_000) return `${Number((count / 1_000_000).toFixed(1))}M`;
  return count >= 1_000 ? `${Math.round(count / 1000)}k` : String(count);
}

/** About how many tokens a text has: a letter of a script with many letters counts as one, four others together as one. */
export function estimatedTokens(text: string): number {
  const dense =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  return dense + Math.ceil((text.length - dense) / 4);
}

function shortFolder(folder: string): string {
  const home = homedir();
  return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}
