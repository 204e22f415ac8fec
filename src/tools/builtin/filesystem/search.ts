import { join } from "node:path";
import { printable, resolveInside } from "../../../contain/paths.ts";
import type { Folder } from "../../../contain/paths-folder.ts";
import { inParent, inspect, openFileIn, openFolder } from "../../../contain/paths-open.ts";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";
import { globMatcher } from "./glob.ts";
import { type Matcher, regexMatcher, textMatcher } from "./matcher.ts";
import type { Parameters } from "./parameters.ts";
import { formatBytes, textOf } from "./text.ts";

const DEFAULT_RESULTS = 100;
const MAX_FILES = 20_000;
const MAX_TOTAL_BYTES = 200_000_000;
const MAX_FILE_BYTES = 5_000_000;
const MAX_TIME_MS = 15_000;
const MAX_DEPTH = 32;
const MAX_LINE_LENGTH = 300;
const IGNORED = new Set([".git", "node_modules"]);

interface Match {
  path: string;
  line?: number;
  text?: string;
}

/** Searches names and contents below a folder. Reports when it did not search everything. */
export async function search(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  const matcher = matcherOf(args, context.signal);
  try {
    const walk = new Search(args, matcher, context.signal);
    await walk.start(context.roots);
    return toOutput(walk);
  } finally {
    await matcher?.close();
  }
}

function matcherOf({ query, queryType }: Parameters, signal: AbortSignal): Matcher | undefined {
  if (query === undefined) return undefined;
  return queryType === "regex" ? regexMatcher(query, MAX_TIME_MS, signal) : textMatcher(query);
}

class Search {
  readonly matches: Match[] = [];
  readonly #args: Parameters;
  readonly #matcher: Matcher | undefined;
  readonly #fitsGlob: (path: string) => boolean;
  readonly #signal: AbortSignal;
  readonly #limit: number;
  readonly #deadline = performance.now() + MAX_TIME_MS;
  files = 0;
  skipped = 0;
  /** Why it ended before everything was looked at. */
  stopped: string | undefined;
  #bytes = 0;

  constructor(args: Parameters, matcher: Matcher | undefined, signal: AbortSignal) {
    this.#args = args;
    this.#matcher = matcher;
    this.#signal = signal;
    this.#limit = args.maxResults ?? DEFAULT_RESULTS;
    this.#fitsGlob = args.glob === undefined ? () => true : globMatcher(args.glob);
  }

  async start(roots: readonly string[]): Promise<void> {
    const { path } = this.#args;
    const facts = await inspect(roots, path);
    if (facts?.type !== "file") {
      const folder = await openFolder(roots, path);
      await this.#folder(folder, "", MAX_DEPTH);
      return;
    }
    const place = await resolveInside(roots, path);
    await inParent(place, (parent, name) => this.#content(parent, name, ""));
  }

  /** Searches a folder and closes it. */
  async #folder(folder: Folder, prefix: string, depth: number): Promise<void> {
    try {
      const { entries, cut } = await folder.entries(MAX_FILES);
      if (cut) this.stopped = "a folder has too many entries";
      entries.sort((left, right) => (left.name < right.name ? -1 : 1));
      for (const { name, type } of entries) {
        if (this.#isOver()) return;
        const path = prefix + name;
        if (type === "folder") await this.#below(folder, name, path, depth);
        if (type === "file" && this.#fitsGlob(path)) await this.#file(folder, name, path);
      }
    } finally {
      await folder.close();
    }
  }

  async #below(folder: Folder, name: string, path: string, depth: number): Promise<void> {
    if (IGNORED.has(name) && !this.#args.includeIgnored) return;
    if (depth === 0) {
      this.stopped = "folders are nested too deeply";
      return;
    }
    // A folder that cannot be opened does not end the search.
    const child = await folder.folder(name).catch(() => undefined);
    if (child) await this.#folder(child, `${path}/`, depth - 1);
    else this.skipped++;
  }

  async #file(folder: Folder, name: string, path: string): Promise<void> {
    this.files++;
    const inName = this.#matcher ? (await this.#matcher.lines(name, 1)).length > 0 : true;
    if (inName) this.matches.push({ path });
    if (this.#matcher && !this.#isOver()) await this.#content(folder, name, path);
  }

  async #content(folder: Folder, name: string, path: string): Promise<void> {
    const text = await this.#textIn(folder, name);
    if (text === undefined || !this.#matcher) return;
    for (const match of await this.#matcher.lines(text, this.#limit - this.matches.length)) {
      this.matches.push({ path, line: match.line, text: match.text.trimEnd().slice(0, MAX_LINE_LENGTH) });
    }
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
      return textOf(bytes.subarray(0, bytesRead));
    } finally {
      await file.handle.close();
    }
  }

  #isOver(): boolean {
    this.#signal.throwIfAborted();
    if (this.matches.length >= this.#limit) this.stopped = `${this.#limit} results were found`;
    else if (this.files >= MAX_FILES) this.stopped = `${MAX_FILES} files were looked at`;
    else if (this.#bytes >= MAX_TOTAL_BYTES) this.stopped = `${formatBytes(MAX_TOTAL_BYTES)} were read`;
    else if (performance.now() >= this.#deadline) this.stopped = "it took too long";
    else return false;
    return true;
  }

  /** The path with which the caller can read the file. */
  pathOf(match: Match): string {
    return join(this.#args.path, match.path);
  }
}

function toOutput(walk: Search): ToolOutput {
  const matches = walk.matches.map((match) => ({ ...match, path: walk.pathOf(match) }));
  const lines = matches.map(({ path, line, text }) => {
    return line === undefined ? printable(path) : `${printable(path)}:${line}: ${printable(text ?? "")}`;
  });
  if (lines.length === 0) lines.push(`Nothing was found in ${walk.files} files.`);
  if (walk.skipped > 0)
    lines.push(`[${walk.skipped} files or folders could not be looked into: links, or too large.]`);
  if (walk.stopped !== undefined)
    lines.push(`[Stopped early: ${walk.stopped}. Narrow the search to see the rest.]`);
  return {
    output: lines.join("\n"),
    data: { matches, filesSearched: walk.files, skipped: walk.skipped, complete: walk.stopped === undefined },
  };
}
