import { isObject, type Json, type JsonObject } from "../../../protocol/json.ts";
import { type Message, textOf } from "../../../protocol/messages.ts";
import { wholeItem } from "./item-list.ts";

// A client can ask that the conversation so far be replaced by one item, which it sends in later requests.

/** What the model is asked for in place of the item that asks for a compaction. */
export const COMPACTION_REQUEST = [
  "The conversation so far is about to be replaced by a summary that only you will read. Write it now.",
  "Name what was asked for, in the person's own words where they matter; what was decided and done; what files, commands and",
  "results matter for the rest; what failed; and what comes next. Write nothing else.",
].join(" ");

/** True if an `input` ends with the item that asks for a compaction. */
export function asksForCompaction(input: unknown): boolean {
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined;
  return isObject(last) && last.type === "compaction_trigger";
}

/** True for the newest message of such a request. */
export function isCompaction(newest: Message | undefined): boolean {
  return newest !== undefined && textOf(newest).endsWith(COMPACTION_REQUEST);
}

/** Returns what the model reads in place of a summary. */
export function toldSummary(summary: string): string {
  return `This is a summary of the conversation before this point:\n\n${summary}`;
}

/** Returns a request for a response that compacts the same conversation. */
export function toCompaction(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { input } = body;
  const said = typeof input === "string" ? [{ role: "user", content: input }] : (input ?? []);
  if (!Array.isArray(said)) return body;
  return { ...body, input: [...said, { type: "compaction_trigger" }], stream: false, background: false };
}

/** The characters of a person's own words that stay beside a summary. */
const MOST_KEPT = 40_000;

/** Returns the answer to a request for a compaction: the newest words of the person, and the summary. */
export function compacted(
  { id, created_at, output, usage }: Record<string, unknown>,
  input: readonly Json[],
): Record<string, unknown> {
  const kept: Json[] = [];
  let length = 0;
  for (const item of input.toReversed()) {
    if (!isObject(item) || item.role !== "user") continue;
    length += JSON.stringify(item).length;
    if (length > MOST_KEPT) break;
    kept.unshift(
      wholeItem(item as JsonObject, (prefix) => `${prefix}_${String(id).slice(5)}_${kept.length}i`),
    );
  }
  const summary = Array.isArray(output) ? output : [];
  return { id, object: "response.compaction", created_at, output: [...kept, ...summary], usage };
}
