import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { compile } from "tailwindcss";

type Compiler = Awaited<ReturnType<typeof compile>>;

/** A compiler remembers every class it was ever asked for; after so many builds a new one is made. */
const BUILDS_PER_COMPILER = 50;
let compiler: Promise<Compiler> | undefined;
let builds = 0;

/** The style sheet for all classes that a code mentions. */
export async function tailwindFor(code: string): Promise<string> {
  if (builds++ % BUILDS_PER_COMPILER === 0) compiler = undefined;
  compiler ??= createCompiler();
  return (await compiler).build(candidatesIn(code));
}

/** Whatever could be a class; the compiler knows which of them are. */
export function candidatesIn(code: string): string[] {
  return [...new Set(code.match(/[^\s"'`<>{}=;,\\]+/g) ?? [])].filter(
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
