import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { compile } from "tailwindcss";

type Compiler = Awaited<ReturnType<typeof compile>>;

/** The next compiler is created after this pause, while no artifact waits for it. */
const IDLE_MS = 200;
/** A longer word is no class. The pattern for values has this bound too, because it begins again at each letter of a text. */
const LONGEST_CLASS = 120;
let spare: Promise<Compiler> | undefined;

/** Returns the style sheet for all classes in some code. */
export async function tailwindFor(code: string): Promise<string> {
  // A compiler writes every class that it has ever seen, so each artifact gets a new one.
  const compiler = spare ?? createCompiler();
  spare = undefined;
  setTimeout(prepareTailwind, IDLE_MS).unref();
  return (await compiler).build(candidatesIn(code));
}

/** Creates a compiler in advance. */
export function prepareTailwind(): void {
  if (spare) return;
  spare = createCompiler();
  spare.catch(() => undefined); // The next caller gets the error.
}

/** All words that could be classes. The compiler ignores the others. */
export function candidatesIn(code: string): string[] {
  const words = code.match(/[^\s"'`<>{}=;,\\]+/g) ?? [];
  // Values in brackets may contain quotes: `before:content-['']`.
  const withValues = code.match(/[!@a-zA-Z][\w:/.-]{0,119}-\[[^\s\]]{0,119}\]/g) ?? [];
  return [...new Set([...words, ...withValues])].filter(
    (word) => word.length < LONGEST_CLASS && /^[!@a-z[-]/i.test(word),
  );
}

async function createCompiler(): Promise<Compiler> {
  const path = createRequire(import.meta.url).resolve("tailwindcss/index.css");
  const base = dirname(path);
  return compile('@import "tailwindcss"; @custom-variant dark (&:where(.dark, .dark *));', {
    base,
    loadStylesheet: async () => ({ path, base, content: readFileSync(path, "utf8") }),
    loadModule: async () => {
      throw new Error("artifacts have no Tailwind plugins");
    },
  });
}
