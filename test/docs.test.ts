import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, findReleases, startCluster } from "../src/store/testing/postgres.ts";
import { readMcpSettings } from "../src/tools/mcp/settings.ts";
import { readApiSettings } from "../src/tools/openapi/settings.ts";
import { listPages, looksLike, readSnippets, root, type Snippet } from "./support/pages.ts";
import { command as program, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

/** Pages whose commands need exclusive use of the data directory. */
const WITHOUT_SERVER = ["docs/operations.md", "docs/instances.md"];
/** A first start installs and builds. */
const TIMEOUT = { timeout: 180_000 };
/** Commands that would run this test again. */
const TEST_COMMANDS = /^npm (test|run check|run bench)\b.*$/gm;

let cluster: Cluster | undefined;
/** Pages that only send requests share a home and its server. */
const shared = temporaryFolder();
let sharedServer: ServerProcess | undefined;
const seen = new Set<string>();

beforeAll(async () => {
  const [release] = findReleases();
  if (release) cluster = await startCluster(release);
  else if (process.env.CI) throw new Error("PostgreSQL is missing");
});
afterAll(async () => {
  await sharedServer?.stop();
  shared.remove();
  await cluster?.dispose();
});

describe.each(listPages())("%s", (page) => {
  const snippets = readSnippets(page);
  const isShared = snippets.length > 0 && snippets.every(onlyAsks);
  const home = isShared ? shared : temporaryFolder();
  const dataDir = join(home.path, ".tackle");
  let server: ServerProcess | undefined;

  beforeAll(async () => {
    if (snippets.length === 0) return;
    if (isShared) {
      if (!sharedServer) prepareHome(home.path);
      sharedServer ??= await startServer(dataDir);
      server = sharedServer;
      return;
    }
    prepareHome(home.path);
    if (!WITHOUT_SERVER.includes(page) && !snippets.some(needsServer)) return;
    server = await startServer(dataDir);
    if (!WITHOUT_SERVER.includes(page)) return;
    await server.stop();
    server = undefined;
  });
  afterAll(async () => {
    if (isShared) return;
    await server?.stop();
    home.remove();
  });

  it("links only to existing pages", () => {
    const text = readFileSync(join(root, page), "utf8");
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });

  for (const snippet of snippets) {
    it(
      `line ${snippet.line}: the ${snippet.language || "block"} works as shown`,
      TIMEOUT,
      async ({ skip }) => {
        const again = snippet.language === "sh" && seen.has(snippet.code);
        seen.add(snippet.code);
        if (again) return;
        if (snippet.code.includes("postgres://") && !cluster) return skip("PostgreSQL is missing");
        await runSnippet(snippet, { home: home.path, dataDir, server });
      },
    );
  }
});

it("docs/seeds.md names only files that exist", () => {
  const page = readFileSync(join(root, "docs/seeds.md"), "utf8");
  const paths = [...page.matchAll(/`((?!src\/)[a-z-]+\/[\w./*-]*)`/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => globSync(path, { cwd: join(root, "src") }).length === 0)).toEqual([]);
});

/** True for a snippet that talks to the server of its page, or writes a tool that it must discover. */
function needsServer({ code, file }: Snippet): boolean {
  return code.includes("127.0.0.1:8787") || file.includes("/tools/");
}

/** True for a snippet that sends requests to a server, and changes nothing on the disk. */
function onlyAsks({ language, code, file }: Snippet): boolean {
  if (file !== "" || !code.includes("127.0.0.1:8787")) return false;
  return language === "js" || language === "tsx" || (language === "sh" && /^(?:curl|printf) /.test(code));
}

interface SnippetContext {
  home: string;
  dataDir: string;
  server: ServerProcess | undefined;
}

async function runSnippet(snippet: Snippet, context: SnippetContext): Promise<void> {
  const { language, file, code, printed } = snippet;
  if (file !== "") return writeSnippet(snippet, context);
  if (language === "json") return readSettings(code);
  const runs: Record<string, () => Promise<string>> = {
    sh: () => runCommands(code, context),
    js: () => runProgram(snippet, context),
    ts: () => runProgram(snippet, context),
    tsx: () => bundle(snippet, context),
  };
  const run = runs[language];
  if (!run) throw new Error(`don't know how to run a "${language}" snippet`);
  const text = await run();
  if (printed !== undefined && !looksLike(text, printed)) expect(text).toBe(printed);
}

/** Parses settings that need third-party servers with the product's own reader, which must report no problems. */
function readSettings(code: string): void {
  const settings: unknown = JSON.parse(code);
  const read = Array.isArray(settings)
    ? readApiSettings(code, "tools.json")
    : readMcpSettings(code, { folder: root, env: { ISSUES_TOKEN: "a token" } });
  expect(read.problems).toEqual([]);
}

/** Writes the file. For a tool, waits until the server has discovered it. */
async function writeSnippet({ file, code }: Snippet, { home, server }: SnippetContext): Promise<void> {
  const path = resolve(join(home, "work"), file.replace(/^~/, home));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
  if (basename(dirname(path)) !== "tools" || !server) return;
  const name = basename(path, extname(path));
  await expect
    .poll(async () => JSON.stringify(await (await fetch(`${server.url}/tools`)).json()), { timeout: 10_000 })
    .toContain(`"name":"${name}"`);
}

async function runCommands(code: string, context: SnippetContext): Promise<string> {
  const script = adaptToTest(
    code.replace(TEST_COMMANDS, (command) => `echo ${JSON.stringify(command)}`),
    context,
  );
  const waits = /(?:npm start|tackle serve)\s*$/.test(script);
  const child = spawn("bash", ["-eu", "-o", "pipefail", "-c", script], {
    cwd: join(context.home, "work"),
    env: environment(waits ? { ...context, dataDir: join(context.home, ".another") } : context),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = () => process.kill(-(child.pid ?? 0), "SIGTERM");
  let text = "";
  const read = (chunk: Buffer) => {
    text += chunk.toString();
    if (waits && /http:\/\/[\d.]+:\d+/.test(text)) end();
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const [status, signal] = await once(child, "close");
  if (!waits) expect(status, text).toBe(0);
  else expect(signal === "SIGTERM" || status === 0 || status === 143, text).toBe(true);
  return text;
}

async function runProgram({ code, language }: Snippet, context: SnippetContext): Promise<string> {
  const program = join(context.home, "work", `program-${seen.size}.${language}`);
  writeFileSync(
    program,
    adaptToTest(code, context).replaceAll(/from "tackle(?:\/client)?"/g, `from "${entry}"`),
  );
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const env = { ...environment(context), NODE_COMPILE_CACHE: join(root, "node_modules/.cache/tackle") };
  const options = { cwd: join(context.home, "work"), env };
  execFile(process.execPath, [program], options, (failure, stdout, stderr) =>
    failure ? reject(new Error(stderr || failure.message)) : resolve(stdout),
  );
  return promise;
}

/** Bundles a component without running it, so that a missing import fails. */
async function bundle({ code }: Snippet, { home }: SnippetContext): Promise<string> {
  const { build } = await import("vite");
  const file = join(home, "work", `component-${seen.size}.tsx`);
  writeFileSync(file, code);
  await build({
    root: join(home, "work"),
    logLevel: "error",
    configFile: false,
    build: { write: false, lib: { entry: file, formats: ["es"] } },
  });
  return "";
}

const { TACKLE_BUNDLE: bundled } = process.env;
/** The library: in the bundle it loads in half the time. */
const library = bundled ? join(dirname(bundled), "index.mjs") : join(root, "src/index.ts");
const entry = pathToFileURL(library).href;

function adaptToTest(code: string, { home, server }: SnippetContext): string {
  // `npm test` has just installed and built from the same sources. What does not fit the clone is built again.
  const clone = [
    `git clone -q --depth 1 "${pathToFileURL(root).href}" tackle`,
    `ln -s "${root}/node_modules" tackle/node_modules`,
    `mkdir tackle/dist && cp -r "${root}"/dist/{checks,vendor,web,web.stamp} tackle/dist`,
    ...(bundled ? [`mkdir tackle/dist/server && cp -r "${dirname(bundled)}" tackle/dist/server`] : []),
    // Nobody comes back to what is compiled in a temporary folder.
    "export NODE_DISABLE_COMPILE_CACHE=1",
  ].join(" && ");
  return code
    .replaceAll("git clone …", clone)
    .replaceAll("npm run -s tackle --", "tackle")
    .replaceAll("http://127.0.0.1:8787", server?.url ?? "http://127.0.0.1:8787")
    .replaceAll(/postgres:\/\/[^ \n"]*…[^ \n"]*/g, cluster?.url ?? "")
    .replaceAll("/backups/", `${home}/`)
    .replaceAll(/(?<=[A-Z]=)…/g, "0123456789abcdef0123456789abcdef");
}

function environment({ home, dataDir }: SnippetContext): Record<string, string> {
  const path = [join(home, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter);
  return {
    PATH: path,
    HOME: home,
    PORT: "0",
    TACKLE_DATA: dataDir,
    TACKLE_DEMO_TOKENS_PER_SECOND: "0",
    OLLAMA_BASE_URL: "http://127.0.0.1:9",
    NO_COLOR: "1",
  };
}

/** Creates a home folder with the `tackle` command and an empty working folder. */
function prepareHome(home: string): void {
  for (const folder of ["bin", "work", ".tackle"]) mkdirSync(join(home, folder));
  const command = join(home, "bin/tackle");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(command, 0o755);
  symlinkSync(join(root, "node_modules"), join(home, "work/node_modules"));
  writeFileSync(join(home, "work/package.json"), '{"type":"module"}');
}
