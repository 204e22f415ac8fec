import { resolveInside } from "../../../contain/paths.ts";
import type { Folder, FolderEntry } from "../../../contain/paths-folder.ts";
import { openFileIn, openFolder } from "../../../contain/paths-open.ts";
import { globMatcher } from "./glob.ts";
import { addRules, type IgnoreRules, isIgnored } from "./ignore.ts";
import type { Parameters } from "./parameters.ts";
import { decodeText } from "./text.ts";

/** Folders that hold what programs made, not people. */
const GENERATED = new Set([".git", "node_modules"]);
const IGNORE_FILES = [".gitignore", ".ignore"];
const MAX_IGNORE_BYTES = 200_000;
/** Of a folder with more entries, only some are looked at. */
const MAX_ENTRIES = 20_000;

/** Decides what search and list leave out. */
export interface Filter {
  hidden: boolean;
  includeIgnored: boolean;
  excluded(path: string): boolean;
}

export function filterOf({ includeIgnored, exclude }: Parameters, hidden: boolean): Filter {
  const excluded = exclude === undefined ? () => false : globMatcher(exclude);
  return { hidden, includeIgnored: includeIgnored ?? false, excluded };
}

/** A folder to look into. The names lead to it from the root; `below` is its path from where the search began. */
export interface VisibleFolder {
  names: readonly string[];
  below: string;
  rules: IgnoreRules | undefined;
}

/** Returns the entries of a folder that are not left out, sorted by name, and the rules that hold for them. */
export async function visibleEntries(
  folder: Folder,
  place: VisibleFolder,
  filter: Filter,
): Promise<{ entries: FolderEntry[]; cut: boolean; leftOut: number; rules: IgnoreRules | undefined }> {
  const { entries, cut } = await folder.entries(MAX_ENTRIES);
  const rules = filter.includeIgnored ? undefined : await rulesIn(folder, place, entries);
  const visible = entries.filter(({ name, type }) => {
    if (!filter.hidden && name.startsWith(".")) return false;
    if (filter.excluded(place.below + name)) return false;
    if (filter.includeIgnored) return true;
    return !GENERATED.has(name) && !isIgnored(rules, [...place.names, name], type === "folder");
  });
  visible.sort((left, right) => (left.name < right.name ? -1 : 1));
  return { entries: visible, cut, leftOut: entries.length - visible.length, rules };
}

async function rulesIn(
  folder: Folder,
  { names, rules }: VisibleFolder,
  entries: readonly FolderEntry[],
): Promise<IgnoreRules | undefined> {
  let all = rules;
  for (const file of IGNORE_FILES) {
    if (!entries.some(({ name, type }) => name === file && type === "file")) continue;
    const text = await smallText(folder, file);
    if (text !== undefined) all = addRules(all, names.length, text);
  }
  return all;
}

async function smallText(folder: Folder, name: string): Promise<string | undefined> {
  // A file that cannot be opened, such as one with several hard links, ignores nothing.
  const file = await openFileIn(folder, name, { shown: name }).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    return file.size > MAX_IGNORE_BYTES ? undefined : decodeText(await file.handle.readFile())?.text;
  } finally {
    await file.handle.close();
  }
}

/** Returns where to begin at a path, with the ignore rules of the folders above it. */
export async function beginAt(
  roots: readonly string[],
  path: string,
  filter: Filter,
): Promise<VisibleFolder> {
  const { root, names } = await resolveInside(roots, path);
  let rules: IgnoreRules | undefined;
  for (let depth = 0; depth < names.length && !filter.includeIgnored; depth++) {
    const above = names.slice(0, depth);
    const folder = await openFolder([root], above.join("/") || ".");
    try {
      const { entries } = await folder.entries(MAX_ENTRIES);
      rules = await rulesIn(folder, { names: above, below: "", rules }, entries);
    } finally {
      await folder.close();
    }
  }
  return { names, below: "", rules };
}
