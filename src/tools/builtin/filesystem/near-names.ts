import { basename, dirname, join } from "node:path";
import { openFolder } from "../../../contain/paths-open.ts";
import { editDistance } from "../../../protocol/edit-distance.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import { findFiles } from "./search.ts";

const MAX_NAMES = 5;
const MAX_DISTANCE = 3;

/** Returns existing paths that may be meant by one that does not exist: similar names beside it, and its name elsewhere. */
export async function nearNames(path: string, context: ToolContext): Promise<string[]> {
  const name = basename(path);
  const beside = (await namesIn(dirname(path), context))
    // Names of other lengths are further away, and some are long.
    .filter((other) => Math.abs(other.length - name.length) <= MAX_DISTANCE)
    .map((other) => ({ other, distance: editDistance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.min(MAX_DISTANCE, name.length / 2))
    .sort((left, right) => left.distance - right.distance)
    .map(({ other }) => join(dirname(path), other));
  const elsewhere = await findFiles(context, (found) => basename(found).toLowerCase() === name.toLowerCase());
  return [...new Set([...beside, ...elsewhere])].slice(0, MAX_NAMES);
}

async function namesIn(path: string, { roots }: ToolContext): Promise<string[]> {
  const folder = await openFolder(roots, path).catch(() => undefined);
  if (folder === undefined) return [];
  try {
    return (await folder.entries(1_000)).entries.map(({ name }) => name);
  } finally {
    await folder.close();
  }
}
