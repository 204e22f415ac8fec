import { basename, join } from "node:path";
import { errnoOf, printable, showPath } from "../../../contain/paths.ts";
import type { EntryType } from "../../../contain/paths-folder.ts";
import { inspect, openFolder } from "../../../contain/paths-open.ts";
import { byteSize } from "../../../protocol/byte-size.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";
import { globMatcher } from "./glob.ts";
import type { Parameters } from "./parameters.ts";
import { beginAt, type Filter, filterOf, type VisibleFolder, visibleEntries } from "./visible.ts";

const DEFAULT_RESULTS = 500;
const DEFAULT_DEPTH = 3;
const MAX_DEPTH = 32;
/** Of a folder below the first one, only this many entries are shown. */
const MAX_IN_FOLDER = 100;

interface Listed {
  path: string;
  type: EntryType;
  size: number | undefined;
}

interface Branch extends Listed {
  entries: Branch[];
  /** How many entries are not shown. */
  more: number;
  /** A folder whose entries were not looked at. */
  closed: boolean;
}

/** Lists a folder as a tree, without what git ignores. With a depth of 1, only the folder's own entries. */
export async function list(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  const usual = args.glob === undefined ? DEFAULT_DEPTH : MAX_DEPTH;
  const depth = args.depth ?? (args.recursive === undefined ? usual : args.recursive ? MAX_DEPTH : 1);
  const tree = new Tree(args, context);
  const top = await tree.grow(depth);
  if (args.glob !== undefined) prune(top);
  const lines = linesOf(top, "", depth > 1);
  const shown = entriesOf(top);
  if (shown.length === 0) lines.push(args.glob === undefined ? "The folder is empty." : "No file fits.");
  if (tree.leftOut > 0) {
    const what = tree.leftOut === 1 ? "1 ignored entry is" : `${tree.leftOut} ignored entries are`;
    lines.push(`[${what} left out; includeIgnored shows them.]`);
  }
  if (tree.cut)
    lines.push("[Not everything is shown. List a folder below, raise maxResults, or narrow it with glob.]");
  return {
    output: lines.join("\n"),
    data: { path: args.path, entries: shown, total: tree.seen, cut: tree.cut },
  };
}

/** Reads folders level by level, so that the upper levels are complete before the lower ones are begun. */
class Tree {
  cut = false;
  /** How many entries were found. */
  seen = 0;
  leftOut = 0;
  readonly #args: Parameters;
  readonly #context: ToolContext;
  readonly #filter: Filter;
  readonly #fits: (path: string) => boolean;
  #room: number;

  constructor(args: Parameters, context: ToolContext) {
    this.#args = args;
    this.#context = context;
    this.#filter = filterOf(args, true);
    this.#fits = args.glob === undefined ? () => true : globMatcher(args.glob);
    this.#room = args.maxResults ?? DEFAULT_RESULTS;
  }

  async grow(depth: number): Promise<Branch> {
    const { roots } = this.#context;
    const top: Branch = { path: "", type: "folder", size: undefined, entries: [], more: 0, closed: true };
    const queue = [{ branch: top, place: await beginAt(roots, this.#args.path, this.#filter), level: 1 }];
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { branch, place, level } = next;
      this.#context.signal.throwIfAborted();
      if (this.#room <= 0) {
        this.cut = true;
        break;
      }
      const rules = await this.#fill(branch, place, branch === top);
      if (level === depth) continue;
      for (const child of branch.entries) {
        if (child.type !== "folder") continue;
        const names = [...place.names, basename(child.path)];
        queue.push({ branch: child, place: { names, below: `${child.path}/`, rules }, level: level + 1 });
      }
    }
    return top;
  }

  /** Adds the entries of a folder and returns the ignore rules that hold below it. */
  async #fill(branch: Branch, place: VisibleFolder, isTop: boolean): Promise<VisibleFolder["rules"]> {
    const opening = openFolder(this.#context.roots, join(this.#args.path, place.below));
    // A folder below that cannot be opened is listed without its content.
    const folder = await (isTop ? opening : opening.catch(() => undefined));
    if (folder === undefined) return undefined;
    try {
      const { entries, cut, leftOut, rules } = await visibleEntries(folder, place, this.#filter);
      const fitting = entries.filter(({ name, type }) => type === "folder" || this.#fits(place.below + name));
      const most = isTop || this.#args.glob !== undefined ? this.#room : Math.min(this.#room, MAX_IN_FOLDER);
      for (const { name, type } of fitting.slice(0, most)) {
        const size = type === "file" ? (await folder.look(name))?.size : undefined;
        const found = { path: place.below + name, type, size: size === undefined ? undefined : Number(size) };
        branch.entries.push({ ...found, entries: [], more: 0, closed: type === "folder" });
        if (this.#args.glob === undefined || type !== "folder") this.#room--;
      }
      branch.closed = false;
      branch.more = fitting.length - branch.entries.length;
      this.seen += fitting.length;
      this.leftOut += leftOut;
      this.cut ||= cut || branch.more > 0;
      return rules;
    } finally {
      await folder.close();
    }
  }
}

/** Removes folders in which no file fits. */
function prune(branch: Branch): void {
  for (const child of branch.entries) prune(child);
  branch.entries = branch.entries.filter(({ type, entries }) => type !== "folder" || entries.length > 0);
}

function entriesOf({ entries }: Branch): Listed[] {
  return entries.flatMap((entry) => [
    { path: entry.path, type: entry.type, size: entry.size },
    ...entriesOf(entry),
  ]);
}

function linesOf({ entries, more }: Branch, indent: string, isTree: boolean): string[] {
  const lines = entries.flatMap((entry) => [
    `${indent}${describe(entry)}${isTree && entry.closed ? " …" : ""}`,
    ...linesOf(entry, `${indent}  `, isTree),
  ]);
  return more > 0 ? [...lines, `${indent}… ${more} more`] : lines;
}

function describe({ path, type, size }: Listed): string {
  const name = printable(basename(path));
  if (type === "folder") return `${name}/`;
  if (type === "link") return `${name} (link, not followed)`;
  if (type === "other") return `${name} (neither file nor folder)`;
  return size === undefined ? name : `${name} (${byteSize(size)})`;
}

/** Reports whether a path exists. */
export async function exists(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  const name = showPath(args.path);
  const facts = await inspect(context.roots, args.path).catch((error: unknown) => {
    if (error instanceof Failure && errnoOf(error.cause) === "ENOTDIR") return undefined;
    throw error;
  });
  return {
    output: facts ? `Yes, "${name}" exists: a ${nounOf(facts.type)}.` : `No, there is no "${name}".`,
    data: { path: args.path, exists: facts !== undefined, type: facts?.type },
    trust: "trusted",
  };
}

/** Reports type, size, modification time and permissions. */
export async function metadata(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  const facts = await inspect(context.roots, args.path);
  const name = showPath(args.path);
  if (facts === undefined) throw new Failure("NOT_FOUND", `There is no "${name}".`);
  const { type, size, modifiedAt, mode } = facts;
  const permissions = mode.toString(8).padStart(3, "0");
  const sizeText = type === "file" ? `, ${byteSize(size)} (${size} bytes)` : "";
  return {
    output: `"${name}": ${nounOf(type)}${sizeText}, changed ${modifiedAt.toISOString()}, permissions ${permissions}.`,
    data: { path: args.path, type, size, modifiedAt: modifiedAt.toISOString(), permissions },
    trust: "trusted",
  };
}

function nounOf(type: EntryType): string {
  if (type === "link") return "symbolic link (not followed)";
  return type === "other" ? "device, pipe or socket" : type;
}
