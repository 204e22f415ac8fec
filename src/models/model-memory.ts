import type { ModelMemory } from "../protocol/context.ts";

/** What models with an unknown context window are taken to have. */
const USUAL_WINDOW = 128_000;
/** Regions and plans of vendors differ and change, so a learnt window is not kept for longer. */
const WINDOW_MS = 24 * 60 * 60_000;
const SMALLEST_WINDOW = 1_000;
const WEIGHT = 0.2;
const LARGEST_STEP = 0.15;
const LEAST = 0.5;
const MOST = 2;

/** Keeps what is learnt about models, for as long as the process runs. */
export class ModelMemories {
  private readonly known = new Map<string, ModelMemory>();
  private readonly now: () => number;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  /** Returns what is known about a model, at the endpoint that `owner` reaches with a key of their own. */
  of(modelId: string, owner = ""): ModelMemory {
    const key = `${modelId} ${owner}`;
    const memory = this.known.get(key) ?? createMemory(this.now);
    this.known.set(key, memory);
    return memory;
  }
}

function createMemory(now: () => number): ModelMemory {
  let factor = 1;
  let learnt: { tokens: number; until: number } | undefined;
  return {
    factor: () => factor,
    noteUsage(estimated, reported) {
      if (estimated <= 0 || reported <= 0) return;
      const step = WEIGHT * (reported / estimated - factor);
      factor += Math.max(-LARGEST_STEP, Math.min(LARGEST_STEP, step));
      factor = Math.max(LEAST, Math.min(MOST, factor));
    },
    window(declared = USUAL_WINDOW) {
      if (learnt && learnt.until < now()) learnt = undefined;
      return Math.min(declared, learnt?.tokens ?? declared);
    },
    noteWindow(tokens) {
      learnt = { tokens: Math.max(SMALLEST_WINDOW, Math.floor(tokens)), until: now() + WINDOW_MS };
    },
  };
}
