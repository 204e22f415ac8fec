import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, it } from "vitest";

const source = resolve(import.meta.dirname, "../src");

/** Which rooms and packages a room may import. `node:` stands for all of Node's own modules. */
const ROOMS: Record<string, { rooms: string[]; packages: string[]; types?: string[] }> = {
  protocol: { rooms: [], packages: ["zod"] },
  loop: { rooms: ["protocol"], packages: [] },
  wire: {
    rooms: ["protocol"],
    packages: ["zod", "eventsource-parser"],
    types: ["openai", "@anthropic-ai/sdk", "@google/genai"],
  },
  providers: { rooms: ["protocol", "wire"], packages: [] },
  search: { rooms: ["protocol", "contain"], packages: ["zod", "node:"] },
  artifacts: {
    rooms: ["protocol"],
    packages: [
      "oxc-parser",
      "oxc-transform",
      "magic-string",
      "tailwindcss",
      "marked",
      "htmlparser2",
      "domhandler",
      "dom-serializer",
      "node:",
    ],
  },
  tools: {
    rooms: ["protocol", "contain", "search", "artifacts"],
    packages: ["zod", "htmlparser2", "unpdf", "node:"],
  },
  mcp: {
    rooms: ["protocol", "contain"],
    packages: ["@modelcontextprotocol/client", "@modelcontextprotocol/server", "zod", "node:"],
  },
  openapi: { rooms: ["protocol", "contain"], packages: ["zod", "node:"] },
  guard: { rooms: ["protocol"], packages: ["zod", "node:crypto"] },
  contain: { rooms: ["protocol"], packages: ["undici", "node:"] },
  store: { rooms: ["protocol"], packages: ["node:", "pg"] },
  imports: { rooms: ["protocol"], packages: ["zod"] },
  files: { rooms: ["protocol"], packages: ["aws4fetch", "node:"] },
  accounts: {
    rooms: ["protocol"],
    packages: [
      "better-auth",
      "@better-auth/api-key",
      "jose",
      "node:crypto",
      "node:fs",
      "node:path",
      "node:sqlite",
    ],
    types: ["pg"],
  },
  recordings: { rooms: ["protocol", "loop"], packages: ["zod", "diff", "node:timers"] },
  backup: { rooms: ["protocol", "store"], packages: ["node:"], types: ["pg"] },
  http: { rooms: ["protocol"], packages: ["hono", "@hono/node-server", "prom-client", "zod", "node:"] },
  client: { rooms: ["protocol"], packages: ["eventsource-parser"] },
  terminal: { rooms: ["protocol", "client"], packages: ["marked", "string-width", "node:"] },
  web: {
    rooms: ["protocol", "client"],
    packages: [
      "react",
      "react-dom",
      "zustand",
      "marked",
      "shiki",
      "codemirror",
      "@codemirror/lang-html",
      "@codemirror/lang-javascript",
      "@codemirror/lang-markdown",
      "@codemirror/language",
      "@lezer/highlight",
      "katex",
      "katex/dist/katex.min.css",
    ],
  },
  sim: { rooms: ["protocol", "wire"], packages: ["node:"] },
  trace: { rooms: ["protocol"], packages: ["node:"] },
};

/** Even rooms that may use Node may not reach past their purpose. */
const FORBIDDEN: { room: string; modules: RegExp; why: string }[] = [
  { room: "http", modules: /^node:(sqlite|child_process)/, why: "the door holds no data" },
  {
    room: "tools",
    modules: /^node:(child_process|net|tls|http|https|dgram|dns)/,
    why: "effects go through contain",
  },
  { room: "store", modules: /^node:(child_process|http|https)/, why: "a store stores" },
];

interface Import {
  file: string;
  typeOnly: boolean;
  room: string;
  from: string;
}

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.(ts|tsx|js|mjs)$/.test(file) && !/\.test\.tsx?$|\b(testing|conformance)\b/.test(file),
);
const imports = files.flatMap((file) => importsOf(file));

describe("the rooms", () => {
  it("are all in the table, and all have files", () => {
    const found = new Set(files.filter((file) => file.includes(sep)).map(roomOf));
    expect([...found].sort()).toEqual(Object.keys(ROOMS).sort());
    expect(imports.length).toBeGreaterThan(100);
  });

  it("import only what the table allows", () => {
    const wrong = imports.filter(({ room }) => room !== "").filter((one) => !allowed(one));
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it("do not reach past their purpose", () => {
    const wrong = imports.flatMap((one) =>
      FORBIDDEN.filter(({ room, modules }) => room === one.room && modules.test(one.from)).map(
        ({ why }) => `${describeImport(one)} (${why})`,
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("have no default exports but what a folder reader loads, and no barrels", () => {
    const wrong = files.filter((file) => {
      const text = codeOf(file);
      const loaded = ["tools", "providers"].includes(roomOf(file));
      const barrel = /^export \* from/m.test(text);
      return barrel || (!loaded && /^export default/m.test(text));
    });
    expect(wrong).toEqual([]);
  });
});

function importsOf(file: string): Import[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^;'"`]*?from\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s+["']([^"']+)["']/g;
  return [...codeOf(file).matchAll(pattern)].map((match) => ({
    file,
    room: roomOf(file),
    from: match[1] ?? match[2] ?? match[3] ?? "",
    typeOnly: /^\s*(import|export) type\b/.test(match[0]),
  }));
}

/** The code of a file, without what only stands in its template texts. */
function codeOf(file: string): string {
  return readFileSync(join(source, file), "utf8").replace(/`(?:[^`\\]|\\.)*`/gs, "``");
}

function allowed({ file, room, from, typeOnly }: Import): boolean {
  const table = ROOMS[room];
  if (!table) return false;
  if (!from.startsWith(".")) {
    const packages = [...table.packages, ...(typeOnly ? (table.types ?? []) : [])];
    return packages.some((name) => from === name || from.startsWith(name.endsWith(":") ? name : `${name}/`));
  }
  const target = relative(source, resolve(source, dirname(file), from));
  if (target.startsWith("..")) return false;
  const other = roomOf(target);
  return other === room || table.rooms.includes(other);
}

function roomOf(file: string): string {
  return file.includes(sep) ? (file.split(sep)[0] ?? "") : "";
}

function describeImport({ file, from }: Import): string {
  return `${file} → ${from}`;
}
