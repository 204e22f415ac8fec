import { z } from "zod";

const OPERATIONS = [
  "read",
  "list",
  "exists",
  "metadata",
  "search",
  "write",
  "edit",
  "move",
  "delete",
] as const;

/** Required parameters of each operation, besides the path. */
const REQUIRED = {
  read: [],
  list: [],
  exists: [],
  metadata: [],
  search: [],
  write: ["content"],
  edit: ["oldText", "newText"],
  move: ["destination"],
  delete: [],
} as const satisfies Record<(typeof OPERATIONS)[number], readonly string[]>;

const MAX_TEXT = 1_000_000;
const MAX_EDITS = 100;

const oneEdit = z
  .object({
    oldText: z.string().min(1).max(MAX_TEXT).describe("The text to replace"),
    newText: z.string().max(MAX_TEXT).describe("The text to put in its place"),
    replaceAll: z.boolean().optional().describe("Replace every occurrence"),
  })
  .strict();

export const parameters = z
  .object({
    operation: z.enum(OPERATIONS).describe("What to do"),
    path: z
      .string()
      .max(4_096)
      .default(".")
      .describe("File or folder, relative to the working folder; the working folder itself when left out"),
    content: z.string().max(10_000_000).optional().describe("write: the whole new text of the file"),
    oldText: z
      .string()
      .max(MAX_TEXT)
      .optional()
      .describe(
        "edit: the text to replace, copied from the file without line numbers, with enough lines to occur only once. An empty text creates a new file",
      ),
    newText: z.string().max(MAX_TEXT).optional().describe("edit: the text to put in its place"),
    replaceAll: z.boolean().optional().describe("edit: replace every occurrence"),
    edits: z
      .array(oneEdit)
      .min(1)
      .max(MAX_EDITS)
      .optional()
      .describe(
        "edit: several edits of the file at once instead of oldText and newText, made in order, all or none",
      ),
    destination: z.string().max(4_096).optional().describe("move: the new path, which must not exist yet"),
    recursive: z
      .boolean()
      .optional()
      .describe("delete: also a folder that is not empty; list: all levels, or with false only one"),
    depth: z.int().min(1).max(32).optional().describe("list: how many levels of folders; 3 when left out"),
    query: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe("search: the regular expression to find in the lines of files"),
    literal: z.boolean().optional().describe("search: take query as plain text"),
    queryType: z.enum(["text", "regex"]).optional().describe("search: an older form of literal"),
    caseSensitive: z
      .boolean()
      .optional()
      .describe("search: whether case matters; when left out, only if query has upper case letters"),
    contextLines: z
      .int()
      .min(0)
      .max(20)
      .optional()
      .describe("search: how many lines to show before and after each match"),
    mode: z
      .enum(["content", "files", "count"])
      .optional()
      .describe("search: show matching lines, only the files, or the number of matches in each file"),
    order: z
      .enum(["path", "newest"])
      .optional()
      .describe("search: by path, or the files that were changed last first"),
    glob: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('search, list: only files whose name or path fits, such as "*.ts" or "src/**/*.{md,txt}"'),
    exclude: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe("search, list: leave out files and folders whose name or path fits this glob"),
    hidden: z.boolean().optional().describe("search: also files and folders whose names begin with a dot"),
    includeIgnored: z
      .boolean()
      .optional()
      .describe("search, list: also what .gitignore names, .git and node_modules"),
    offset: z
      .int()
      .min(1)
      .optional()
      .describe("read: the first line; search: the first result; counted from 1"),
    limit: z.int().min(1).max(100_000).optional().describe("read: how many lines, at most 2000"),
    maxResults: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe("list, search: how many results at most; 100 for search"),
  })
  .strict()
  .superRefine((args, context) => {
    const both = args.edits !== undefined && args.oldText !== undefined;
    if (args.operation === "edit" && both) {
      const message = "give either edits, or oldText and newText";
      context.addIssue({ code: "custom", path: ["edits"], message });
    }
    const several = args.operation === "edit" && args.edits !== undefined;
    for (const name of REQUIRED[args.operation]) {
      if (several || args[name] !== undefined) continue;
      context.addIssue({ code: "custom", path: [name], message: `${args.operation} needs ${name}` });
    }
    if (args.operation === "search" && args.query === undefined && args.glob === undefined) {
      context.addIssue({ code: "custom", path: ["query"], message: "search needs query, glob or both" });
    }
  });

export type Parameters = z.output<typeof parameters>;
