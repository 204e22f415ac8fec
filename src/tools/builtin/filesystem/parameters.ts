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
      .min(1)
      .max(1_000_000)
      .optional()
      .describe("edit: the exact text to replace, long enough to occur only once"),
    newText: z.string().max(1_000_000).optional().describe("edit: the text to put in its place"),
    replaceAll: z.boolean().optional().describe("edit: replace every occurrence"),
    destination: z.string().max(4_096).optional().describe("move: the new path, which must not exist yet"),
    recursive: z
      .boolean()
      .optional()
      .describe("delete: also a folder that is not empty; list: also what is in the folders below"),
    query: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe("search: the text to find in file names and contents"),
    queryType: z
      .enum(["text", "regex"])
      .optional()
      .describe("search: how query is meant; text when left out. Upper and lower case count as the same"),
    glob: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('search: only files whose name or path fits, such as "*.ts" or "src/**/*.md"'),
    includeIgnored: z.boolean().optional().describe("search: look into .git and node_modules as well"),
    offset: z.int().min(1).optional().describe("read: the first line to read, counted from 1"),
    limit: z.int().min(1).max(100_000).optional().describe("read: how many lines"),
    maxResults: z.int().min(1).max(1_000).optional().describe("list, search: how many entries at most"),
  })
  .strict()
  .superRefine((args, context) => {
    for (const name of REQUIRED[args.operation]) {
      if (args[name] !== undefined) continue;
      context.addIssue({ code: "custom", path: [name], message: `${args.operation} needs ${name}` });
    }
    if (args.operation === "search" && args.query === undefined && args.glob === undefined) {
      context.addIssue({ code: "custom", path: ["query"], message: "search needs query, glob or both" });
    }
  });

export type Parameters = z.output<typeof parameters>;
