import { createHash } from "node:crypto";
import { type Dirent, existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { defineTool } from "../protocol/define-tool.ts";
import { importFile } from "../protocol/import-file.ts";
import { isObject } from "../protocol/json.ts";
import { checkTool, type PlainTool, toolFromPlain } from "../protocol/plain-tool.ts";
import type { Tool } from "../protocol/tool.ts";
import type { FolderKind } from "./watched-folder.ts";

const EXTENSIONS = [".ts", ".js", ".mjs"];
/** A file that never finishes loading must not block the others. */
const IMPORT_TIMEOUT_MS = 10_000;

/** A file with a tool, and the name that a built-in tool must have. */
export interface ToolFile {
  file: string;
  name: string;
}

/** Returns the tool files of a folder, sorted by name: script files, and folders with an index file. Tests are left out. */
export function toolFiles(directory: string, entries: readonly Dirent[]): ToolFile[] {
  const files: ToolFile[] = [];
  for (const entry of entries) {
    if (entry.isDirectory()) {
      const index = EXTENSIONS.map((extension) => join(directory, entry.name, `index${extension}`)).find(
        existsSync,
      );
      if (index !== undefined) files.push({ file: index, name: entry.name });
      continue;
    }
    const extension = extname(entry.name);
    const name = entry.name.slice(0, -extension.length || undefined);
    if (!EXTENSIONS.includes(extension) || /^\.|\.(test|d)$/.test(name)) continue;
    files.push({ file: join(directory, entry.name), name });
  }
  return files.sort((left, right) => (left.file < right.file ? -1 : 1));
}

/**
 * Loads a file's default export: a tool, a plain object, or a function that returns either. With a new `version`, the file
 * is read again. Throws an error that says what is missing.
 */
export async function importTool(file: string, version?: string): Promise<Tool> {
  const made = await importDefault(file, version);
  if (!isObject(made)) throw new Error("no tool is exported by default");
  if (typeof made.parse !== "function") return toolFromPlain(made as typeof made & PlainTool);
  const tool = { ...made, retry: made.retry ?? "unsafe" } as typeof made & Tool;
  checkTool(tool);
  return tool;
}

/** The tools that people put into a folder. */
export const USER_TOOLS: FolderKind<Tool> = {
  name: "user tool",
  files: (folder, entries) => toolFiles(folder, entries).map(({ file }) => file),
  async load(file, version) {
    const tool = await importTool(file, version);
    // The same on every instance that has the same file, whenever it was written.
    const hash = createHash("sha256").update(await readFile(file));
    return { ...tool, version: hash.digest("hex") };
  },
};

/** Returns a file's default export, or what it returns if it is a function. */
export async function importDefault(file: string, version?: string): Promise<unknown> {
  const url = pathToFileURL(file);
  if (version !== undefined) {
    url.searchParams.set("version", version);
    // CommonJS files are cached by their path alone.
    const { cache } = createRequire(import.meta.url);
    delete cache[file];
  }
  const module = await withTimeout(importFile(url.href));
  const exported = module.default;
  return typeof exported === "function" ? await exported({ defineTool, z }) : exported;
}

async function withTimeout<Value>(promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("loading it takes too long")), IMPORT_TIMEOUT_MS);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
