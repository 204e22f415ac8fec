import { type JsonObject, parseJson } from "../../../protocol/json.ts";

/** What we read ourselves. All other blocks are about the vendor's own tools, or its summary of the conversation. */
export const OWN_BLOCKS: ReadonlySet<string> = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);

/** Returns a block with a piece of it, which has the block's own fields: a text continues, and anything else replaces. */
export function withPiece(
  block: Record<string, unknown>,
  { type: _, ...fields }: Record<string, unknown>,
): Record<string, unknown> {
  const grown = { ...block };
  for (const [name, value] of Object.entries(fields)) {
    const before = grown[name];
    grown[name] = typeof before === "string" && typeof value === "string" ? before + value : value;
  }
  return grown;
}

/** Returns a block of the vendor's as it is in a whole answer. `json` is the input of a call. */
export function wholeBlock(start: Record<string, unknown>, json: string): JsonObject {
  const input = json.trim() === "" ? undefined : parseJson(json);
  return { ...start, ...(input === undefined ? {} : { input }) } as JsonObject;
}
