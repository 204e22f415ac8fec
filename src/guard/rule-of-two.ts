import type { GuardedCall, Situation } from "../protocol/guard.ts";
import type { Effect } from "../protocol/tool.ts";
import { scanOutgoing } from "./injection/outgoing.ts";

/**
 * Untrusted input, private data, and an effect on the world: any two are fine, all three are a person's to decide. Answers
 * why a person has to be asked, or undefined.
 *
 * Text of the person's own folders counts before something is sent out, but not before a change: changes stay in those
 * same folders, are asked about anyway unless the person said "always", and can be taken back. Text that reads like
 * instructions, and addresses that carry data, raise the bar without private data too.
 */
export function ruleOfTwo(call: GuardedCall, effect: Effect, situation: Situation): string | undefined {
  if (effect !== "network" && effect !== "write") return undefined;
  const { outside, workspace, privateReads, suspicious, personTexts } = situation;
  // What the person wrote word for word cannot have been slipped in.
  if (effect === "network" && isThePersonsOwn(call.args, personTexts)) return undefined;
  const does = effect === "network" ? "It sends something out" : "It changes something";
  if (suspicious.length > 0) {
    return `${does}, after text that reads like instructions to the assistant (${suspicious.join(", ")}).`;
  }
  const sources = effect === "network" ? [...new Set([...outside, ...workspace])] : outside;
  if (sources.length === 0) return undefined;
  if (privateReads.length > 0) {
    return `${does}, after untrusted text (${sources.join(", ")}) and private data (${privateReads.join(", ")}) were read.`;
  }
  const outgoing = effect === "network" ? scanOutgoing(call.args) : undefined;
  return outgoing?.suspicious ? `It sends something out that may hold data: ${outgoing.reason}.` : undefined;
}

function isThePersonsOwn(args: unknown, personTexts: readonly string[]): boolean {
  const texts = textsIn(args);
  return texts.length > 0 && texts.every((text) => personTexts.some((said) => said.includes(text)));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
