import { isObject, type Json, type JsonObject } from "../../../protocol/json.ts";
import { MESSAGE_FACTS } from "../../../protocol/vendor-blocks.ts";

/** What is said about a message besides its content, and why it ended. */
const OF_MESSAGE = ["container", "stop_details", "context_management", "diagnostics"];
/** Counts that are read everywhere. */
const COUNTS: ReadonlySet<string> = new Set([
  ...["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"],
]);

/** Who made a call, and the set that its tool belongs to. */
function aboutCall({ type: _type, id: _id, name: _name, input: _input, ...rest }: Record<string, unknown>) {
  return rest as JsonObject;
}

/** Collects what the vendor says about its message. Only clients of the same dialect can read it. */
export function collectFacts() {
  const message: JsonObject = {};
  const usage: JsonObject = {};

  function add(target: JsonObject, name: string, value: unknown): void {
    if (value !== undefined && value !== null) target[name] = value as Json;
  }

  return {
    /** Takes a message, or a part of an event that continues it. */
    note(said: unknown): void {
      if (!isObject(said)) return;
      for (const name of OF_MESSAGE) add(message, name, said[name]);
      if (!isObject(said.usage)) return;
      for (const [name, value] of Object.entries(said.usage)) if (!COUNTS.has(name)) add(usage, name, value);
    },
    /** All of it as a block, with what its content blocks say about calls. Undefined if there is nothing. */
    block(content: readonly Record<string, unknown>[]): JsonObject | undefined {
      const calls = content.filter(({ type, name }) => type === "tool_use" && name).map(aboutCall);
      const known = [message, usage, ...calls].flatMap((one) => Object.keys(one));
      return known.length === 0 ? undefined : { type: MESSAGE_FACTS, message, usage, calls };
    },
  };
}
