import { parseObject } from "../../../protocol/json.ts";
import type { Turns } from "../../../protocol/turns.ts";

// Clients keep some of what a model wrote in items that only this server can read.

/** What is in the `encrypted_content` of an item. */
export type Sealed = { kind: "reasoning"; runId: string; text: string } | { kind: "summary"; text: string };

/** Returns the content of an item. */
export function sealItem({ seal }: Pick<Turns, "seal">, content: Sealed): string {
  return seal(JSON.stringify(content));
}

/** Returns what the content of an item says. Undefined for what only its vendor can read. */
export function openItem(unseal: Turns["unseal"], content: unknown): Sealed | undefined {
  const opened = typeof content === "string" ? unseal(content) : undefined;
  const { kind, runId, text } = (opened !== undefined && parseObject(opened)) || {};
  if (typeof text !== "string") return undefined;
  if (kind === "summary") return { kind, text };
  return kind === "reasoning" && typeof runId === "string" ? { kind, runId, text } : undefined;
}

/** Asks for reasoning in a form that a client can keep and send back. */
export const ENCRYPTED_REASONING = "reasoning.encrypted_content";
