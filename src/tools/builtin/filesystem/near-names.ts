import { basename, dirname, join } from "node:path";
import { openFolder } from "../../../contain/paths-open.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import { findFiles } from "./search.ts";

const MAX_NAMES = 5;
const MAX_DISTANCE = 3;

/** Returns existing paths that may be meant by one that does not exist: similar names beside it, and its name elsewhere. */
export async function nearNames(path: string, context: ToolContext): Promise<string[]> {
  const name = basename(path);
  const beside = (await namesIn(dirname(path), context))
    .map((other) => ({ other, distance: distanceOf(name.toLowerCase(), other.toLowerCase()) }))
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

/** The number of characters to insert, remove or replace. Names beside each other are short. */
function distanceOf(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > MAX_DISTANCE) return Infinity;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 1; at <= left.length; at++) {
    const next = [at];
    for (let other = 1; other <= right.length; other++) {
      const replaced = (row[other - 1] ?? 0) + (left[at - 1] === right[other - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[other] ?? 0) + 1, (next[other - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
