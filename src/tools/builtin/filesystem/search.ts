import { join } from "node:path";
import { resolveInside } from "../../../contain/paths.ts";
import type { Folder } from "../../../contain/paths-folder.ts";
import { inParent, inspect, openFileIn, openFolder } from "../../../contain/paths-open.ts";
import { byteSize } from "../../../protocol/byte-size.ts";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";
import { globMatcher } from "./glob.ts";
import { type Matcher, regexMatcher, textMatcher } from "./matcher.ts";
import type { Parameters } from "./parameters.ts";
import { type FoundFile, showFound, shownLines } from "./search-output.ts";
import { decodeText } from "./text.ts";
import { beginAt, type Filter, filterOf, type VisibleFolder, visibleEntries } from "./visible.ts";

const DEFAULT_RESULTS = 100;
const MAX_FILES = 50_000;
const MAX_TOTAL_BYTES = 500_000_000;
const MAX_FILE_BYTES = 5_000_000;
const MAX_TIME_MS = 15_000;
/** How long it keeps counting when enough was found. */
const MAX_COUNTING_MS = 2_000;
const MAX_DEPTH = 64;

/** Searches the contents of files as ripgrep does, or finds files by glob. Reports when it did not search everything. */
export async function search(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  const matcher = matcherOf(args, context.signal);
  try {
    const walk = new Search(args, matcher, context);
    await walk.start(context.roots);
    return showFound(args, walk, DEFAULT_RESULTS);
  } finally {
    await matcher?.close();
  }
}

function matcherOf(
  { query, literal, queryType, caseSensitive }: Parameters,
  signal: AbortSignal,
): Matcher | undefined {
  if (query === undefined) return undefined;
  const isLiteral = literal ?? queryType === "text";
  // In a regular expression, \S and \W are no upper case letters.
  const hasUpperCase = /\p{Lu}/u.test(isLiteral ? query : query.replace(/\\./gs, ""));
  const minding = caseSensitive ?? hasUpperCase;
  if (isLiteral || !/[\\^$.|?*+()[\]{}]/.test(query)) return textMatcher(query, minding);
  return regexMatcher(query, minding, MAX_TIME_MS, signal);
}

class Search {
  readonly found: FoundFile[] = [];
  readonly #args: Parameters;
  readonly #matcher: Matcher | undefined;
  readonly #filter: Filter;
  readonly #fitsGlob: (path: string) => boolean;
  readonly #signal: AbortSignal;
  readonly #mayRead: (path: string) => boolean;
  readonly #wanted: number;
  #deadline = performance.now() + MAX_TIME_MS;
  files = 0;
  /** Files and folders that could not be opened or are too large. */
  skipped = 0;
  /** Files that the policy closes. */
  closed = 0;
  /** Why it ended before everything was looked at. */
  stopped: string | undefined;
  #bytes = 0;
  #results = 0;

  constructor(
    args: Parameters,
    matcher: Matcher | undefined,
    { signal, mayRead }: Pick<ToolContext, "signal" | "mayRead">,
  ) {
    this.#args = args;
    this.#matcher = matcher;
    this.#signal = signal;
    this.#mayRead = (path) => mayRead?.(path) ?? true;
    this.#filter = filterOf(args, args.hidden ?? false);
    this.#wanted = (args.offset ?? 1) - 1 + (args.maxResults ?? DEFAULT_RESULTS);
    this.#fitsGlob = args.glob === undefined ? () => true : globMatcher(args.glob);
  }

  async start(roots: readonly string[]): Promise<void> {
    const { path } = this.#args;
    const facts = await inspect(roots, path);
    if (facts?.type !== "file") {
      const folder = await openFolder(roots, path);
      await this.#folder(folder, await beginAt(roots, path, this.#filter));
      return;
    }
    const place = await resolveInside(roots, path);
    await inParent(place, (parent, name) => this.#file(parent, name, ""));
  }

  /** Searches a folder and closes it. */
  async #folder(folder: Folder, place: VisibleFolder): Promise<void> {
    try {
      const { entries, cut, rules } = await visibleEntries(folder, place, this.#filter);
      if (cut) this.stopped = "a folder has too many entries";
      for (const { name, type } of entries) {
        if (this.#isOver()) return;
        const below = place.below + name;
        const inside = { names: [...place.names, name], below: `${below}/`, rules };
        if (type === "folder") await this.#below(folder, name, inside);
        if (type === "file" && this.#fitsGlob(below)) await this.#file(folder, name, below);
      }
    } finally {
      await folder.close();
    }
  }

  async #below(folder: Folder, name: string, place: VisibleFolder): Promise<void> {
    if (place.names.length > MAX_DEPTH) {
      this.stopped = "folders are nested too deeply";
      return;
    }
    // A folder that cannot be opened does not end the search.
    const child = await folder.folder(name).catch(() => undefined);
    if (child) await this.#folder(child, place);
    else this.skipped++;
  }

  async #file(folder: Folder, name: string, below: string): Promise<void> {
    this.files++;
    const path = join(this.#args.path, below);
    if (this.#matcher && !this.#mayRead(path)) return void this.closed++;
    const file = this.#matcher ? await this.#content(folder, name, this.#matcher) : { count: 1, lines: [] };
    if (file === undefined || file.count === 0) return;
    const isNewestFirst = this.#args.order === "newest";
    const changed = isNewestFirst ? ((await folder.look(name))?.mtimeNs ?? 0n) : 0n;
    this.found.push({ path, changed, ...file });
    this.#results += this.#matcher && (this.#args.mode ?? "content") === "content" ? file.count : 1;
  }

  async #content(
    folder: Folder,
    name: string,
    matcher: Matcher,
  ): Promise<Omit<FoundFile, "path" | "changed"> | undefined> {
    const text = await this.#textIn(folder, name);
    if (text === undefined) return undefined;
    const isEnough = this.#results >= this.#wanted && this.#args.order !== "newest";
    const { count, matches } = await matcher.find(text, isEnough ? 0 : this.#wanted);
    if (count === 0 || (this.#args.mode ?? "content") !== "content") return { count, lines: [] };
    return { count, lines: shownLines(text, matches, this.#args.contextLines ?? 0) };
  }

  async #textIn(folder: Folder, name: string): Promise<string | undefined> {
    // Links, pipes and files with several hard links are not opened.
    const file = await openFileIn(folder, name, { shown: name }).catch(() => undefined);
    if (file === undefined || file.size > MAX_FILE_BYTES) {
      this.skipped++;
      await file?.handle.close();
      return undefined;
    }
    try {
      const bytes = Buffer.alloc(file.size);
      const { bytesRead } = await file.handle.read(bytes, 0, file.size, 0);
      this.#bytes += bytesRead;
      return searchable(bytes.subarray(0, bytesRead));
    } finally {
      await file.handle.close();
    }
  }

  #isOver(): boolean {
    this.#signal.throwIfAborted();
    if (this.#results >= this.#wanted)
      this.#deadline = Math.min(this.#deadline, performance.now() + MAX_COUNTING_MS);
    if (this.files >= MAX_FILES) this.stopped = `${MAX_FILES} files were looked at`;
    else if (this.#bytes >= MAX_TOTAL_BYTES) this.stopped = `${byteSize(MAX_TOTAL_BYTES)} were read`;
    else if (performance.now() >= this.#deadline) this.stopped = "it took too long";
    else return false;
    return true;
  }
}

const MAX_LOOKED_AT = 5_000;

/** Returns the paths of files in the working folder that fit, without what search leaves out. */
export async function findFiles(context: ToolContext, fits: (path: string) => boolean): Promise<string[]> {
  const filter: Filter = { hidden: false, includeIgnored: false, excluded: () => false };
  const found: string[] = [];
  const queue: VisibleFolder[] = [{ names: [], below: "", rules: undefined }];
  let looked = 0;
  for (let place = queue.shift(); place && looked < MAX_LOOKED_AT; place = queue.shift()) {
    const folder = await openFolder(context.roots, place.below || ".").catch(() => undefined);
    if (folder === undefined) continue;
    try {
      const { entries, rules } = await visibleEntries(folder, place, filter);
      looked += entries.length;
      for (const { name, type } of entries) {
        const below = place.below + name;
        if (type === "folder") queue.push({ names: [...place.names, name], below: `${below}/`, rules });
        else if (type === "file" && fits(below)) found.push(below);
      }
    } finally {
      await folder.close();
    }
  }
  return found;
}

/** The text of a file. Of text in an older encoding such as Latin-1, what is ASCII can still be found. */
function searchable(bytes: Buffer): string | undefined {
  const text = decodeText(bytes)?.text;
  return text ?? (bytes.includes(0) ? undefined : bytes.toString("latin1"));
}
