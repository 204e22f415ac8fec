import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A file of src/ with its path below the root of the repository. */
export interface Source {
  path: string;
  text: string;
  lines: string[];
}

const SKIPPED =
  /\.test\.tsx?$|\/(?:testing|conformance|words)\/|\/testing\.ts$|\/conformance[^/]*$|\.generated\.ts$/;

/** Reads the TypeScript of src/ without tests, what only tests use, generated files and word lists. */
export function readSources(root: string): Source[] {
  return globSync("src/**/*.{ts,tsx}", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !SKIPPED.test(path))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return { path, text, lines: text.replace(/\n$/, "").split("\n") };
    });
}

/** Returns the files that lie directly in src/, tests aside. */
export function looseFiles(sources: Source[]): string[] {
  return sources.filter(({ path }) => path === `src/${basename(path)}`).map(({ path }) => path);
}
