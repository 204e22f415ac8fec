import type { UndoEntry, UndoJournal } from "../../../protocol/undo.ts";

/** An undo journal for tests. It keeps everything in memory and as JSON, as a real one would. */
export function memoryUndoJournal(): UndoJournal & { entries: UndoEntry[] } {
  const kept = new Map<string, Uint8Array>();
  const entries: UndoEntry[] = [];
  return {
    entries,
    async keep(bytes) {
      const key = `kept-${kept.size}`;
      kept.set(key, Buffer.from(bytes));
      return key;
    },
    async load(key) {
      const bytes = kept.get(key);
      if (!bytes) throw new Error(`nothing is kept as ${key}`);
      return bytes;
    },
    async record(entry) {
      entries.push(JSON.parse(JSON.stringify(entry)));
    },
  };
}
