import { pathFailure, showPath } from "../../../contain/paths.ts";
import { defineTool, type ToolContext, type ToolOutput } from "../../../protocol/tool.ts";
import { deletePath, edit, move, write } from "./change.ts";
import { exists, list, metadata } from "./list.ts";
import { type Parameters, parameters } from "./parameters.ts";
import { preview } from "./preview.ts";
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
    "Works with files and folders in the working folder: read, list, exists, metadata, search, write, edit, move, " +
    "delete. Paths are relative to it. Prefer edit to write for changes in an existing file, and read before you edit.",
  effect: ({ operation }) => (CHANGES.has(operation) ? "write" : "read"),
  retry: "unsafe",
  // File names and contents may come from elsewhere (a clone, a download), so the output of read, list and search is
  // untrusted. The other operations return our own sentences and set `trust`.
  trust: "untrusted",
  // Calls of one turn may build on each other: write, then move.
  parallel: false,
  input: parameters,
  available: ({ roots }) => roots.length > 0,
  preview,
  undo,
  async run(args, context) {
    context.signal.throwIfAborted();
    try {
      const done = await OPERATIONS[args.operation](args, context);
      const told = args.operation === "read" ? await context.instructionsFor?.(args.path) : undefined;
      return { origin: "workspace", ...done, ...(told ? { output: `${done.output}\n\n${told}` } : {}) };
    } catch (error) {
      throw pathFailure(error, showPath(args.path));
    }
  },
});
