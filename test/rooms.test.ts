import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const source = resolve(import.meta.dirname, "../src");

interface Rule {
  /** Rooms and sub-rooms that it may import from. `protocol`, its own files and its own sub-rooms are always allowed. */
  rooms?: string[];
  /** Packages that it may import. `node:` stands for all of Node's own modules. */
  packages?: string[];
  /** Packages whose types it may import. */
  types?: string[];
}

/** These put the rooms together and may import everything. */
const COMPOSE = ["app", "cli.ts", "index.ts"];

/** What each room and each named sub-room may import. A file follows the rule with the longest matching path. */
const ROOMS: Record<string, Rule> = {
  protocol: { packages: ["zod"] },
  loop: {},
  runs: { rooms: ["loop"], packages: ["node:"] },
  "runs/imports": { packages: ["zod"] },
  models: { packages: ["undici", "node:"] },
  "models/check": { rooms: ["models/wire"], packages: ["zod", "node:"] },
  "models/wire": {
    packages: ["zod", "eventsource-parser"],
    types: ["openai", "@anthropic-ai/sdk", "@google/genai"],
  },
  "models/providers": { rooms: ["models/wire"] },
  tools: { packages: ["zod", "node:"] },
  "tools/builtin": {
    rooms: ["contain", "tools/search", "tools/artifacts"],
    packages: ["zod", "htmlparser2", "unpdf", "diff", "node:"],
  },
  "tools/search": { rooms: ["contain"], packages: ["zod", "node:"] },
  "tools/artifacts": {
    packages: [
      "oxc-parser",
      "oxc-transform",
      "magic-string",
      "tailwindcss",
      "marked",
      "htmlparser2",
      "domhandler",
      "dom-serializer",
      "diff",
      "node:",
    ],
  },
  // These scripts run in the artifact's frame, where an import map resolves the packages.
  "tools/artifacts/frame/browser": {
    packages: ["react", "react/jsx-runtime", "react-dom/client", "mermaid"],
  },
  "tools/mcp": { rooms: ["contain", "tools"], packages: ["@modelcontextprotocol/client", "zod", "node:"] },
  "tools/openapi": { rooms: ["contain", "tools"], packages: ["zod", "js-yaml", "node:"] },
  guard: { packages: ["zod", "node:crypto"] },
  contain: { packages: ["undici", "node:"] },
  store: { packages: ["node:", "pg", "@nats-io/jetstream", "@nats-io/transport-node", "zod"] },
  "store/backup": { rooms: ["store"], packages: ["node:", "zod"], types: ["pg"] },
  files: { packages: ["aws4fetch", "node:"] },
  notify: { rooms: ["contain"], packages: ["zod", "node:crypto"] },
  accounts: {
    packages: [
      "better-auth",
      "@better-auth/api-key",
      "@simplewebauthn/server",
      "jose",
      "zod",
      "node:crypto",
      "node:fs",
      "node:path",
      "node:sqlite",
    ],
    types: ["pg"],
  },
  http: { packages: ["hono", "@hono/node-server", "prom-client", "zod", "node:"] },
  // `tackle mcp --server` forwards stdio to a running server, so it needs the client as well.
  "http/dialects/mcp": {
    packages: ["@modelcontextprotocol/server", "@modelcontextprotocol/client", "zod", "node:"],
  },
  client: { packages: ["eventsource-parser"] },
  terminal: { rooms: ["client"], packages: ["marked", "string-width", "node:"] },
  "terminal/acp": { rooms: ["terminal"], packages: ["@agentclientprotocol/sdk", "node:"] },
  web: {
    rooms: ["client"],
    packages: [
      "react",
      "react-dom",
      "zustand",
      "marked",
      "@shikijs/engine-javascript",
      "@shikijs/langs",
      "@shikijs/primitive",
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
  observe: { rooms: ["loop"], packages: ["pino", "node:"] },
  "observe/recordings": { rooms: ["loop"], packages: ["zod", "diff", "node:timers"] },
  "observe/trace": { rooms: ["loop"], packages: ["node:"] },
  workspace: { packages: ["zod", "node:"] },
  sim: { rooms: ["models/wire"], packages: ["node:"] },
};

/** Sub-rooms that other rooms may import from, where their rule names them. All other sub-folders are private. */
const OPEN = ["models/wire", "models/providers", "tools/search", "tools/artifacts"];

/** Node's modules that would let a room reach past its purpose. */
const FORBIDDEN: { room: string; modules: RegExp; why: string }[] = [
  { room: "http", modules: /^node:(sqlite|child_process)/, why: "routes hold no data" },
  {
    room: "tools/builtin",
    modules: /^node:(child_process|net|tls|http|https|dgram|dns)/,
    why: "effects go through contain",
  },
  { room: "store", modules: /^node:(child_process|http|https)/, why: "a store only stores" },
  { room: "runs", modules: /^node:(fs|sqlite|child_process|net|http|https)/, why: "effects are handed in" },
];

interface Import {
  file: string;
  /** A package, or a file of `src/`. */
  target: string;
  relative: boolean;
  typeOnly: boolean;
}

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.(tsx?|m?js)$/.test(file) && !/\.test\.tsx?$|\b(testing|conformance)\b/.test(file),
);
const imports = files.flatMap((file) => importsOf(file));

describe("the rooms", () => {
  it("hold every file but the command and the library's public face", () => {
    const loose = files.filter((file) => !file.includes("/"));
    expect(loose.sort()).toEqual(["cli.ts", "index.ts"]);
    const ruled = new Set(files.map(roomOf));
    expect([...ruled].sort()).toEqual([...Object.keys(ROOMS), ...COMPOSE].sort());
    expect(imports.length).toBeGreaterThan(1_000);
  });

  it("import only what the table allows", () => {
    expect(imports.filter((one) => !allowed(one)).map(describeImport)).toEqual([]);
  });

  it("keep their sub-folders to themselves", () => {
    const wrong = imports.filter(({ file, target, relative: local }) => {
      const [from = "", to = ""] = [file.split("/")[0], target.split("/")[0]];
      if (!local || from === to || COMPOSE.includes(from) || !target.includes("/")) return false;
      return target.split("/").length > 2 && !OPEN.some((room) => dirname(target) === room);
    });
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it("do not reach past their purpose", () => {
    const wrong = imports.flatMap((one) =>
      FORBIDDEN.filter(
        ({ room, modules }) => one.file.startsWith(`${room}/`) && modules.test(one.target),
      ).map(({ why }) => `${describeImport(one)} (${why})`),
    );
    expect(wrong).toEqual([]);
  });

  it("import no values in a circle", () => {
    expect(circles()).toEqual([]);
  });

  it("have no default exports but what a folder reader loads, and no barrels", () => {
    const wrong = files.filter((file) => {
      const text = codeOf(file);
      const loaded = ["tools/builtin", "models/providers"].includes(roomOf(file));
      return /^export \* from/m.test(text) || (!loaded && /^export default/m.test(text));
    });
    expect(wrong).toEqual([]);
  });
});

function importsOf(file: string): Import[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^;'"`]*?from\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s+["']([^"']+)["']/g;
  return [...codeOf(file).matchAll(pattern)].map((match) => {
    const from = match[1] ?? match[2] ?? match[3] ?? "";
    const local = from.startsWith(".");
    return {
      file,
      relative: local,
      target: local ? relative(source, resolve(source, dirname(file), from)) : from,
      typeOnly: /^\s*(import|export) type\b/.test(match[0]) || onlyInlineTypes(match[0]),
    };
  });
}

/** True for `import { type A, type B } from …`. */
function onlyInlineTypes(statement: string): boolean {
  const names =
    /\{([^}]*)\}/
      .exec(statement)?.[1]
      ?.split(",")
      .filter((name) => name.trim() !== "") ?? [];
  return names.length > 0 && names.every((name) => /^\s*type\s/.test(name));
}

/** The code of a file, without the contents of its template strings. */
function codeOf(file: string): string {
  return readFileSync(join(source, file), "utf8").replace(/`(?:[^`\\]|\\.)*`/gs, "``");
}

function allowed({ file, target, relative: local, typeOnly }: Import): boolean {
  const room = roomOf(file);
  if (COMPOSE.includes(room)) return true;
  const { rooms = [], packages = [], types = [] } = ROOMS[room] ?? {};
  if (!local) {
    const names = [...packages, ...(typeOnly ? types : [])];
    return names.some((name) => target === name || target.startsWith(name.endsWith(":") ? name : `${name}/`));
  }
  const other = roomOf(target);
  return other === room || other.startsWith(`${room}/`) || [...rooms, "protocol"].includes(other);
}

/** The longest entry of the table that the file lies in. */
function roomOf(file: string): string {
  const folders = [...Object.keys(ROOMS), ...COMPOSE].filter(
    (room) => file === room || file.startsWith(`${room}/`),
  );
  return folders.sort((left, right) => right.length - left.length)[0] ?? "";
}

/** Circles of value imports, each as a chain of files. Imports that are made at run time count as well. */
function circles(): string[] {
  const edges = new Map<string, string[]>();
  for (const { file, target, relative: local, typeOnly } of imports)
    if (local && !typeOnly) edges.set(file, [...(edges.get(file) ?? []), target]);
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) found.push([...path.slice(at), file].join(" → "));
    if (at >= 0 || done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return found;
}

function describeImport({ file, target }: Import): string {
  return `${file} → ${target}`;
}
