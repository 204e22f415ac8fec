import { createHash } from "node:crypto";
import type { Place } from "../../../contain/paths.ts";
import { type Folder, typeOf } from "../../../contain/paths-folder.ts";
import { inParent, openFileIn, permissionsOf } from "../../../contain/paths-open.ts";
import type { UndoJournal } from "../../../protocol/tool.ts";

/** How much of what was there before is kept for one change. */
export const KEPT_BYTES = 10_485_760;
const KEPT_ENTRIES = 1_000;

/** One thing that was deleted; `path` is below the deleted one, which itself is "". Folders come before their content. */
export type KeptEntry =
  | { type: "folder"; path: string; mode: number }
  | { type: "file"; path: string; mode: number; key: string; hash: string }
  | { type: "link"; path: string; target: string };

/** Keeps all that a deletion takes away; undefined where that is too much, or something that cannot be put back. */
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
    // A file with several names is not opened; it can be deleted all the same, only not put back.
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
