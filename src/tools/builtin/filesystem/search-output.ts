import { printable } from "../../../contain/paths.ts";
import type { ToolOutput } from "../../../protocol/tool.ts";
import { plainLine } from "./diff.ts";
import type { LineMatch } from "./matcher.ts";
import type { Parameters } from "./parameters.ts";

const MAX_LINE_LENGTH = 300;
const BEFORE_MATCH = 100;
const MAX_CHARACTERS = 50_000;

/** A line that matches, or one near it. */
interface ShownLine {
  line: number;
  text: string;
  matches: boolean;
}

export interface FoundFile {
  /** The path with which the caller can read the file. */
  path: string;
  /** When it was changed, for the order. */
  changed: bigint;
  /** How many lines match. */
  count: number;
  lines: ShownLine[];
}

/** Returns matching lines with some before and after them. Long lines are cut around the match. */
export function shownLines(text: string, matches: readonly LineMatch[], context: number): ShownLine[] {
  if (matches.length === 0) return [];
  const lines = text.split("\n");
  const columns = new Map(matches.map(({ line, column }) => [line, column]));
  const wanted = new Set(columns.keys());
  for (const { line } of matches)
    for (let near = line - context; near <= line + context; near++) wanted.add(near);
  return [...wanted]
    .filter((line) => line >= 1 && line <= lines.length && (line < lines.length || lines.at(-1) !== ""))
    .sort((left, right) => left - right)
    .map((line) => {
      const column = columns.get(line);
      const cut = around((lines[line - 1] ?? "").trimEnd(), column ?? 0);
      return { line, text: cut, matches: column !== undefined };
    });
}

function around(line: string, column: number): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  const start = Math.max(0, Math.min(column - BEFORE_MATCH, line.length - MAX_LINE_LENGTH));
  const part = line.slice(start, start + MAX_LINE_LENGTH).toWellFormed();
  return `${start > 0 ? "…" : ""}${part}${start + MAX_LINE_LENGTH < line.length ? "…" : ""}`;
}

interface Found {
  found: FoundFile[];
  files: number;
  skipped: number;
  closed: number;
  stopped: string | undefined;
}

interface Result {
  path: string;
  line?: number;
  text?: string;
  count?: number;
}

/** Writes what a search found, with a note about what is missing. */
export function showFound(args: Parameters, walk: Found, defaultResults: number): ToolOutput {
  const mode = args.query === undefined ? "files" : (args.mode ?? "content");
  const first = args.offset ?? 1;
  const limit = args.maxResults ?? defaultResults;
  const files = walk.found;
  if (args.order === "newest") files.sort((left, right) => (left.changed > right.changed ? -1 : 1));
  const matches = files.reduce((sum, { count }) => sum + count, 0);
  const total = mode === "content" ? matches : files.length;
  const page = mode === "content" ? linesOf(files, first, limit) : filesOf(files, first, limit, mode);
  const { lines, results } = fitting(page);
  const noun = mode === "content" ? "matching lines" : "files";
  const last = first + results.length - 1;
  const notes: string[] = [];
  if (total === 0) {
    const omitted = args.hidden && args.includeIgnored ? "" : " Hidden and ignored files were left out.";
    notes.push(`Nothing was found in ${walk.files} files.${omitted}`);
  } else if (results.length === 0) notes.push(`There is no result ${first}: there are ${total} ${noun}.`);
  else if (last < total || first > 1) {
    const count = walk.stopped === undefined ? `${total}` : `more than ${total}`;
    const inFiles = mode === "content" ? ` in ${files.length} ${files.length === 1 ? "file" : "files"}` : "";
    const next = last < total ? ` Go on with offset ${last + 1}, or narrow the search.` : "";
    notes.push(`[Results ${first}–${last} of ${count} ${noun}${inFiles}.${next}]`);
  }
  if (walk.skipped > 0)
    notes.push(`[${walk.skipped} files or folders could not be looked into: links, or too large.]`);
  if (walk.closed > 0)
    notes.push(
      `[${walk.closed} files were left out: the policy does not allow reading them, or not without asking.]`,
    );
  if (walk.stopped !== undefined)
    notes.push(`[Stopped early: ${walk.stopped}. Narrow the search to see the rest.]`);
  return {
    output: [...lines, ...notes].join("\n"),
    data: {
      matches: results,
      total,
      filesSearched: walk.files,
      skipped: walk.skipped,
      complete: walk.stopped === undefined && first === 1 && last >= total,
    },
  };
}

/** The lines of one result. */
interface Entry {
  lines: string[];
  result: Result;
}

function filesOf(
  files: readonly FoundFile[],
  first: number,
  limit: number,
  mode: "files" | "count",
): Entry[] {
  return files.slice(first - 1, first - 1 + limit).map(({ path, count }) => {
    if (mode === "files") return { lines: [printable(path)], result: { path } };
    return { lines: [`${printable(path)}: ${count}`], result: { path, count } };
  });
}

function linesOf(files: readonly FoundFile[], first: number, limit: number): Entry[] {
  const entries: Entry[] = [];
  let number = 0;
  for (const { path, count, lines } of files) {
    if (number + count < first) {
      number += count;
      continue;
    }
    let pending: string[] = [];
    let before: number | undefined;
    for (const { line, text, matches } of lines) {
      if (matches && ++number > first - 1 + limit) return entries;
      if (number > 0 && number < first) continue;
      const hasContext = lines.some((other) => !other.matches);
      if (hasContext && (before === undefined ? entries.length > 0 : line > before + 1)) pending.push("--");
      before = line;
      const shown = `${printable(path)}${matches ? ":" : "-"}${line}${matches ? ":" : "-"} ${plainLine(text)}`;
      if (matches) {
        entries.push({ lines: [...pending, shown], result: { path, line, text } });
        pending = [];
      } else pending.push(shown);
    }
    entries.at(-1)?.lines.push(...pending);
  }
  return entries;
}

/** Leaves out the last results if all of them are too long for one answer. */
function fitting(entries: readonly Entry[]): { lines: string[]; results: Result[] } {
  const lines: string[] = [];
  const results: Result[] = [];
  let characters = 0;
  for (const entry of entries) {
    characters += entry.lines.reduce((sum, line) => sum + line.length + 1, 0);
    if (characters > MAX_CHARACTERS && results.length > 0) break;
    lines.push(...entry.lines);
    results.push(entry.result);
  }
  return { lines, results };
}
