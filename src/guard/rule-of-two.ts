import type { GuardedCall, Situation } from "../protocol/guard.ts";
import type { Effect } from "../protocol/tool.ts";
import { scanOutgoing } from "./injection/outgoing.ts";

/**
 * Untrusted input, private data and an effect on the world: any two are fine, all three need a person's approval. Returns
 * the reason to ask, or undefined.
 *
 * Text from the person's own folders counts as untrusted before something is sent out, but not before a change: changes
 * stay in those folders, are asked about anyway unless the person said "always", and can be undone. Text that reads like
 * instructions, and URLs that carry data, need approval even without private data.
 */
export function ruleOfTwo(call: GuardedCall, effect: Effect, situation: Situation): string | undefined {
  if (effect !== "network" && effect !== "write") return undefined;
  const { outside, workspace, privateReads, suspicious, personTexts } = situation;
  // What the person wrote word for word cannot come from an attacker.
  if (effect === "network" && isThePersonsOwn(call.args, personTexts)) return undefined;
  const sends = effect === "network" || (call.tool.alsoSends?.(call.args, call.context) ?? false);
  const does =
    effect === "network"
      ? "It sends something out"
      : sends
        ? "It can send something out"
        : "It changes something";
  if (suspicious.length > 0) {
    return `${does}, after text that reads like instructions to the assistant (${suspicious.join(", ")}).`;
  }
  const sources = sends ? [...new Set([...outside, ...workspace])] : outside;
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
