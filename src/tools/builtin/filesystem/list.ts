import { errnoOf, printable, showPath } from "../../../contain/paths.ts";
import type { EntryType, Folder } from "../../../contain/paths-folder.ts";
import { inspect, openFolder } from "../../../contain/paths-open.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";
import type { Parameters } from "./parameters.ts";
import { formatBytes } from "./text.ts";

const DEFAULT_RESULTS = 500;
/** Folders with more entries than this are listed in part. */
const MAX_ENTRIES = 10_000;
const MAX_DEPTH = 32;

interface Listed {
  path: string;
  type: EntryType;
  size: number | undefined;
}

/** Lists the entries of a folder, including hidden ones, sorted by path. */
export async function list(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  const limit = args.maxResults ?? DEFAULT_RESULTS;
  const folder = await openFolder(context.roots, args.path);
  const found: Listed[] = [];
  let cut: boolean;
  try {
    cut = await collect(folder, "", found, args.recursive ? MAX_DEPTH : 0, context.signal);
  } finally {
    await folder.close();
  }
  found.sort((left, right) => (left.path < right.path ? -1 : 1));
  const shown = found.slice(0, limit);
  const lines = shown.map(describe);
  if (found.length === 0) lines.push("The folder is empty.");
  if (cut || found.length > limit) {
    const total = cut ? `more than ${found.length}` : found.length;
    lines.push(`[Cut: ${shown.length} of ${total} entries. Raise maxResults, or list a folder below.]`);
  }
  return {
    output: lines.join("\n"),
    data: { path: args.path, entries: shown, total: found.length, cut: cut || found.length > limit },
  };
}

async function collect(
  folder: Folder,
  prefix: string,
  found: Listed[],
  depth: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { entries, cut } = await folder.entries(MAX_ENTRIES - found.length);
  let someCut = cut;
  for (const entry of entries) {
    signal.throwIfAborted();
    const path = prefix + entry.name;
    const size = entry.type === "file" ? (await folder.look(entry.name))?.size : undefined;
    found.push({ path, type: entry.type, size: size === undefined ? undefined : Number(size) });
  }
  for (const entry of entries) {
    if (depth === 0 || entry.type !== "folder") continue;
    if (found.length >= MAX_ENTRIES) return true;
    // A folder that cannot be opened is listed without its content.
    const child = await folder.folder(entry.name).catch(() => undefined);
    if (child === undefined) continue;
    try {
      someCut = (await collect(child, `${prefix}${entry.name}/`, found, depth - 1, signal)) || someCut;
    } finally {
      await child.close();
    }
  }
  return someCut;
}

function describe({ path, type, size }: Listed): string {
  const name = printable(path);
  if (type === "folder") return `${name}/`;
  if (type === "link") return `${name} (link, not followed)`;
  if (type === "other") return `${name} (neither file nor folder)`;
  return size === undefined ? name : `${name} (${formatBytes(size)})`;
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
  const sizeText = type === "file" ? `, ${formatBytes(size)} (${size} bytes)` : "";
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
