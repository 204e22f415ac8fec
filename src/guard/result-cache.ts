import type { GuardedCall } from "../protocol/guard.ts";
import type { ToolEvent, ToolOutput } from "../protocol/tool.ts";

/** What a call answered, and what it showed on the way. */
export interface KeptResult {
  output: ToolOutput;
  shown: ToolEvent[];
}

export interface ResultCache {
  /** What the same caller got for the same arguments a while ago. */
  get(call: GuardedCall): KeptResult | undefined;
  set(call: GuardedCall, kept: KeptResult): void;
}

const MAX_CHARACTERS = 16_000_000;
const MAX_ENTRIES = 1_000;

/** Keeps results of the tools that allow it, in memory, as JSON; the oldest give way. */
export function createResultCache(now: () => number = Date.now): ResultCache {
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
      if (entry && entry.until > now()) return JSON.parse(entry.json) as KeptResult;
      remove(key);
      return undefined;
    },
    set(call, kept) {
      const key = keyOf(call);
      remove(key);
      const json = JSON.stringify(kept);
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

/** Whether a result may be given again: only where the tool says so, and never where something changes. */
export function isCacheable({ tool, args }: GuardedCall): boolean {
  return tool.cacheSeconds !== undefined && tool.effectOf(args) !== "write";
}

/** By caller, unless nothing but the arguments can matter: what one person found out is nothing for another. */
function keyOf({ tool, args, context }: GuardedCall): string {
  const caller = tool.effectOf(args) === "none" ? "" : context.principal.id;
  return JSON.stringify([tool.name, caller, args]);
}
