import type { GuardedCall, Situation } from "../protocol/guard.ts";
import type { Effect } from "../protocol/tool.ts";

const SENDS_OR_CHANGES: Partial<Record<Effect, string>> = {
  network: "It sends something out",
  write: "It changes something",
};

/**
 * Untrusted input, private data, and an effect on the world: any two are fine, all three are a person's to decide. Answers
 * why a person has to be asked, or undefined. What the person wrote word for word cannot have been slipped in.
 */
export function ruleOfTwo(call: GuardedCall, effect: Effect, situation: Situation): string | undefined {
  const does = SENDS_OR_CHANGES[effect];
  if (!does || situation.untrusted.length === 0 || situation.privateReads.length === 0) return undefined;
  if (effect === "network" && isThePersonsOwn(call.args, situation.personTexts)) return undefined;
  const sources = situation.untrusted.join(", ");
  const reads = situation.privateReads.join(", ");
  return `${does}, after text from outside was read (${sources}) and private data too (${reads}).`;
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
