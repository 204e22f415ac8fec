/** What the line that opens a code block says about it. */
export interface Fence {
  language: string;
  /** The name of the file, where it is given. */
  name?: string;
}

/** `title="dates.ts"`, as documentation tools write it. */
const TITLE = /\b(?:title|file|filename)=["']?([^"'\s}]+)/i;
const FILE = /^[\w@()[\]./-]*[\w)\]]\.\w{1,10}$/;

/** Reads the line that opens a code block: `ts`, `ts dates.ts`, `ts:src/dates.ts`, `ts title="dates.ts"` or `dates.ts`. */
export function fenceOf(line: string): Fence {
  const [first = "", ...rest] = line.trim().split(/\s+/);
  const [language = "", path] = first.split(":", 2);
  const name = TITLE.exec(line)?.[1] ?? path ?? rest.find((word) => FILE.test(word));
  if (name) return { language, name };
  return FILE.test(first) ? { language: first.slice(first.lastIndexOf(".") + 1), name: first } : { language };
}
