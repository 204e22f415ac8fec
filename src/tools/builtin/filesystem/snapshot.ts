import { createHash } from "node:crypto";
import { z } from "zod";
import type { Place } from "../../../contain/paths.ts";
import { type Folder, typeOf } from "../../../contain/paths-folder.ts";
import { inParent, openFileIn, permissionsOf } from "../../../contain/paths-open.ts";
import type { UndoJournal } from "../../../protocol/undo.ts";

/** How many bytes are kept for undoing one change. */
export const KEPT_BYTES = 10_485_760;
const KEPT_ENTRIES = 1_000;

/** A deleted file, folder or link. `path` is relative to the deleted one, which itself is "". Folders come before their content. */
export const keptEntry = z.discriminatedUnion("type", [
  z.object({ type: z.literal("folder"), path: z.string(), mode: z.number() }),
  z.object({
    type: z.literal("file"),
    path: z.string(),
    mode: z.number(),
    key: z.string(),
    hash: z.string(),
  }),
  z.object({ type: z.literal("link"), path: z.string(), target: z.string() }),
]);
type KeptEntry = z.output<typeof keptEntry>;

/** Keeps everything that will be deleted. Returns undefined where that is too much or cannot be restored. */
export async function takeSnapshot(
  place: Place,
  undo: UndoJournal,
  signal: AbortSignal,
): Promise<KeptEntry[] | undefined> {
  const entries: KeptEntry[] = [];
  let bytes = 0;

  async function take(folder: Folder, name: string, below: string): Promise<boolean> {
    signal.throwIfAborted();
    const stats = await folder.look(name);
    if (stats === undefined || entries.length === KEPT_ENTRIES) return false;
    const type = typeOf(stats);
    if (type === "link") {
      entries.push({ type, path: below, target: await folder.linkTarget(name) });
      return true;
    }
    if (type === "file") return takeFile(folder, name, below);
    if (type === "other") return false;
    entries.push({ type, path: below, mode: permissionsOf(stats) });
    const child = await folder.folder(name);
    try {
      const found = await child.entries(KEPT_ENTRIES);
      for (const entry of found.entries) {
        if (!(await take(child, entry.name, below === "" ? entry.name : `${below}/${entry.name}`)))
          return false;
      }
      return !found.cut;
    } finally {
      await child.close();
    }
  }

  async function takeFile(folder: Folder, name: string, below: string): Promise<boolean> {
    // A file with several hard links is not opened. It can be deleted, but not restored.
    const file = await openFileIn(folder, name, { shown: name }).catch(() => undefined);
    if (file === undefined) return false;
    try {
      bytes += file.size;
      if (bytes > KEPT_BYTES) return false;
      const content = await file.handle.readFile();
      const key = await undo.keep(content);
      entries.push({ type: "file", path: below, mode: file.mode, key, hash: hashOf(content) });
      return true;
    } finally {
      await file.handle.close();
    }
  }

  const whole = await inParent(place, (parent, name) => take(parent, name, ""));
  return whole ? entries : undefined;
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
