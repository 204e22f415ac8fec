import type { GuardedCall, Situation } from "../protocol/guard.ts";
import type { Effect } from "../protocol/tool.ts";

/**
 * Untrusted input, private data, and an effect on the world: any two are fine, all three are a person's to decide. Answers
 * why a person has to be asked, or undefined.
 *
 * Text of the person's own folders counts before something is sent out, but not before a change: changes stay in those
 * same folders, are asked about anyway unless the person said "always", and can be taken back.
 */
export function ruleOfTwo(call: GuardedCall, effect: Effect, situation: Situation): string | undefined {
  if (effect !== "network" && effect !== "write") return undefined;
  const { outside, workspace, privateReads, personTexts } = situation;
  const sources = effect === "network" ? [...new Set([...outside, ...workspace])] : outside;
  if (sources.length === 0 || privateReads.length === 0) return undefined;
  // What the person wrote word for word cannot have been slipped in.
  if (effect === "network" && isThePersonsOwn(call.args, personTexts)) return undefined;
  const does = effect === "network" ? "It sends something out" : "It changes something";
  return `${does}, after untrusted text (${sources.join(", ")}) and private data (${privateReads.join(", ")}) were read.`;
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
