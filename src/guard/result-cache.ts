import type { GuardedCall } from "../protocol/guard.ts";
import type { ToolEvent, ToolOutput } from "../protocol/tool.ts";

/** The output of a call and the events it showed. */
export interface CachedResult {
  output: ToolOutput;
  shown: ToolEvent[];
}

export interface ResultCache {
  /** Returns the earlier result of the same caller for the same arguments. */
  get(call: GuardedCall): CachedResult | undefined;
  set(call: GuardedCall, result: CachedResult): void;
}

const MAX_CHARACTERS = 16_000_000;
const MAX_ENTRIES = 1_000;

/** Creates an in-memory cache of tool results. When it is full, the oldest are removed. */
export function createResultCache(now: () => number = () => performance.now()): ResultCache {
  const entries = new Map<string, { json: string; until: number }>();
  let characters = 0;

  function remove(key: string): void {
    characters -= entries.get(key)?.json.length ?? 0;
    entries.delete(key);
  }

  return {
    get(call) {
      const key = keyOf(call);
      const entry = entries.get(key);
      if (entry && entry.until > now()) return JSON.parse(entry.json) as CachedResult;
      remove(key);
      return undefined;
    },
    set(call, result) {
      const key = keyOf(call);
      remove(key);
      const json = JSON.stringify(result);
      if (json.length > MAX_CHARACTERS / 16) return;
      entries.set(key, { json, until: now() + (call.tool.cacheSeconds ?? 0) * 1_000 });
      characters += json.length;
      for (const oldest of entries.keys()) {
        if (characters <= MAX_CHARACTERS && entries.size <= MAX_ENTRIES) return;
        remove(oldest);
      }
    },
  };
}

/** True if a result may be reused: the tool allows it, and the call changes nothing. */
export function isCacheable({ tool, args }: GuardedCall): boolean {
  return tool.cacheSeconds !== undefined && tool.effectOf(args) !== "write";
}

/** Results are shared between callers only if they depend on nothing but the arguments. */
function keyOf({ tool, args, context }: GuardedCall): string {
  const caller = tool.effectOf(args) === "none" ? "" : context.principal.id;
  return JSON.stringify([tool.name, caller, args]);
}
