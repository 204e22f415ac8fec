import { pathFailure, showPath } from "../../../contain/paths.ts";
import { defineTool } from "../../../protocol/define-tool.ts";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";
import { deletePath, edit, move, write } from "./change.ts";
import { laterReason } from "./later.ts";
import { exists, list, metadata } from "./list.ts";
import { type Parameters, parameters } from "./parameters.ts";
import { preview, refuseOther } from "./preview.ts";
import { read } from "./read.ts";
import { search } from "./search.ts";
import { undo } from "./undo.ts";

type Operation = Parameters["operation"];

const OPERATIONS: Record<Operation, (args: Parameters, context: ToolContext) => Promise<ToolOutput>> = {
  read,
  list,
  exists,
  metadata,
  search,
  write,
  edit,
  move,
  delete: deletePath,
};

const CHANGES: ReadonlySet<Operation> = new Set(["write", "edit", "move", "delete"]);

export default defineTool({
  name: "filesystem",
  description:
    "Works with files in the working folder; paths are relative to it. read: numbered lines of a file, or an image. list: a " +
    "tree of a folder. search: a regular expression in files, or files by glob. edit: replaces text that you copy from the " +
    "file, one place or several at once; prefer it to write, which replaces whole files, and read before you edit. move, " +
    "delete, exists, metadata.",
  effect: ({ operation }) => (CHANGES.has(operation) ? "write" : "read"),
  mustAsk: (args, context) => (CHANGES.has(args.operation) ? laterReason(args, context) : undefined),
  retry: "unsafe",
  // File names and contents may come from elsewhere (a clone, a download), so the output of read, list and search is
  // untrusted. The other operations return our own sentences and set `trust`.
  trust: "untrusted",
  shown: { characters: 60_000, head: 0.8 },
  // Calls of one turn may build on each other: write, then move.
  parallel: false,
  input: parameters,
  spellings: {
    file_path: "path",
    filePath: "path",
    old_string: "oldText",
    oldString: "oldText",
    old_str: "oldText",
    new_string: "newText",
    newString: "newText",
    new_str: "newText",
    file_text: "content",
    pattern: "query",
    include: "glob",
    head_limit: "maxResults",
  },
  available: ({ roots }) => roots.length > 0,
  preview: (args, context) =>
    preview(args, context).catch((error: unknown) => {
      throw pathFailure(error, showPath(args.path));
    }),
  undo,
  async run(args, context) {
    context.signal.throwIfAborted();
    try {
      if (CHANGES.has(args.operation)) await refuseOther(args, context);
      const done = await OPERATIONS[args.operation](args, context);
      const told = args.operation === "read" ? await context.instructionsFor?.(args.path) : undefined;
      return { origin: "workspace", ...done, ...(told ? { output: `${done.output}\n\n${told}` } : {}) };
    } catch (error) {
      throw pathFailure(error, showPath(args.path));
    }
  },
});
