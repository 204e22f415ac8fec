import type { ToolSpec } from "../../protocol/model.ts";
import { hashText } from "./hash.ts";

/** What a vendor's refusals have taught about one model, at one address and with one key. */
export interface Learned {
  /** What requests must do without. */
  list(): string[];
  add(quirk: string): void;
  /** Why the vendor refused a tool before. */
  whyRefused(tool: ToolSpec): string | undefined;
  refuse(tool: ToolSpec, reason: string): void;
  /** How many tools the vendor takes at once, where it has said so. */
  mostTools(): number | undefined;
  limitTools(count: number): void;
}

interface Lessons {
  quirks: Set<string>;
  /** By name and schema, with the reason and until when the tool is left out. */
  tools: Map<string, { reason: string; until: number }>;
  mostTools?: number;
}

/** A refused tool is offered again after a while, because vendors change what they take. */
const REMEMBERED_MS = 60 * 60 * 1000;
const MOST_TOOLS = 200;
const MOST_KEYS = 1_000;

/** By whoever asks: an app's transport, or a model that was handed in. Apps in the same process learn apart from each other. */
const lessons = new WeakMap<object, Map<string, Lessons>>();

/** Returns what a model has taught, by its address and key: what one key taught holds for no other. */
export function learnedBy(asker: object, modelId: string, baseUrl: string, key = ""): Learned {
  const known = lessons.get(asker) ?? new Map<string, Lessons>();
  lessons.set(asker, known);
  const id = `${modelId} ${hashText(`${baseUrl} ${key}`)}`;
  /** The newest is last, and the oldest is forgotten. */
  const learn = (): Lessons => {
    const learned = known.get(id) ?? { quirks: new Set(), tools: new Map() };
    known.delete(id);
    known.set(id, learned);
    const [oldest] = known.keys();
    if (known.size > MOST_KEYS && oldest !== undefined) known.delete(oldest);
    return learned;
  };
  return {
    list: () => [...(known.get(id)?.quirks ?? [])],
    add: (quirk) => void learn().quirks.add(quirk),
    whyRefused(tool) {
      const tools = known.get(id)?.tools;
      if (!tools || tools.size === 0) return undefined;
      const found = tools.get(keyOf(tool));
      return found && found.until > Date.now() ? found.reason : undefined;
    },
    refuse(tool, reason) {
      const { tools } = learn();
      if (tools.size >= MOST_TOOLS) tools.clear();
      tools.set(keyOf(tool), { reason, until: Date.now() + REMEMBERED_MS });
    },
    mostTools: () => known.get(id)?.mostTools,
    limitTools(count) {
      learn().mostTools = count;
    },
  };
}

function keyOf({ name, parameters }: ToolSpec): string {
  return hashText(`${name}\n${JSON.stringify(parameters)}`);
}
