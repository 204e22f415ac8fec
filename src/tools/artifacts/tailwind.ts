import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { compile } from "tailwindcss";

type Compiler = Awaited<ReturnType<typeof compile>>;

/** The next one is made while nobody waits. */
const REST_MS = 200;
let spare: Promise<Compiler> | undefined;

/** The style sheet for all classes that a code mentions. */
export async function tailwindFor(code: string): Promise<string> {
  // A compiler remembers every class it was ever asked for, and writes all of them: each artifact has one of its own.
  const compiler = spare ?? createCompiler();
  spare = undefined;
  setTimeout(prepareTailwind, REST_MS).unref();
  return (await compiler).build(candidatesIn(code));
}

/** Has a compiler ready for whoever needs one next. */
export function prepareTailwind(): void {
  if (spare) return;
  spare = createCompiler();
  spare.catch(() => undefined); // Whoever takes it hears of it.
}

/** Whatever could be a class; the compiler knows which of them are. */
export function candidatesIn(code: string): string[] {
  const words = code.match(/[^\s"'`<>{}=;,\\]+/g) ?? [];
  // Values in brackets may hold quotes: `before:content-['']`.
  const withValues = code.match(/[!@a-zA-Z][\w:/.-]*-\[[^\s\]]*\]/g) ?? [];
  return [...new Set([...words, ...withValues])].filter(
    (word) => word.length < 120 && /^[!@a-z[-]/i.test(word),
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
