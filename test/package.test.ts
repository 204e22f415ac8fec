import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "tackle-package-"));
const project = join(folder, "project");
const MINUTES = 4 * 60_000;
/** The limits for an installation without optional dependencies. */
const MOST_MEGABYTES = 60;
const MOST_PACKAGES = 50;

let tarball = "";
/** The reason why packages cannot be installed here, if any. */
let unreachable: string | undefined;

beforeAll(async () => {
  await run(process.execPath, [join(root, "scripts/build.mjs")], { cwd: root });
  const packed = await run("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: root,
    maxBuffer: 1e8,
  });
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  tarball = join(folder, filename);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "name": "embedder", "type": "module", "private": true }');
  const flags = ["--omit=optional", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["install", ...flags, tarball], { cwd: project }).catch((thrown: Error) => {
    if (process.env.CI || !/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ENOTCACHED/.test(thrown.message))
      throw thrown;
    unreachable = "npm cannot reach a registry, so the packed package is not installed anywhere";
    console.log(`skipped: ${unreachable}`);
  });
}, MINUTES);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function node(...args: string[]) {
  return run(process.execPath, args, { cwd: project });
}

it("is a package that module resolvers and type checkers understand", async () => {
  const tool = (...path: string[]) => join(root, "node_modules", ...path);
  const linted = await node(tool("publint", "src", "cli.js"), "--strict", tarball);
  expect(linted.stdout).toContain("All good!");
  const types = await node(
    tool("@arethetypeswrong", "cli", "dist", "index.js"),
    tarball,
    "--profile",
    "esm-only",
  );
  expect(types.stdout).toContain("🟢");
});

it("contains only built files, without sources, tests or local paths", async () => {
  const { stdout } = await run("tar", ["-tzf", tarball], { maxBuffer: 1e8 });
  const files = stdout.trim().split("\n");
  expect(files).toContain("package/dist/index.d.ts");
  expect(files).toContain("package/dist/web/index.html");
  expect(files).toEqual(expect.arrayContaining(readAtRunTime().map((path) => `package/dist/${path}`)));
  expect(files.filter((file) => /\.test\.|\/testing\/|\/src\/|\.stamp$/.test(file))).toEqual([]);
  expect(files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))).toEqual([]);
});

it("runs the first program of docs/embedding.md in an empty project without optional dependencies", async ({
  skip,
}) => {
  if (unreachable) skip(unreachable);
  const [, program = "", printed = ""] =
    /```ts\n([\s\S]*?)```\s+```text\n([\s\S]*?)```/.exec(
      readFileSync(join(root, "docs/embedding.md"), "utf8"),
    ) ?? [];
  writeFileSync(join(project, "program.mjs"), program);
  const { stdout, stderr } = await node("program.mjs");
  expect(stdout).toBe(printed);
  expect(stderr).toContain("optional package oxc-parser is not installed");
});

it("passes the type checker in that project", async ({ skip }) => {
  if (unreachable) skip(unreachable);
  writeFileSync(
    join(project, "typed.ts"),
    `import { type ChatEvent, createTackle, streamTurn, toFetchHandler } from "tackle";
import { createClient } from "tackle/client";
const tackle = await createTackle({ dataDir: ":memory:", policy: { rules: [{ tool: "x", action: "deny" }] } });
for await (const event of streamTurn(createClient("http://localhost"), { message: "x" })) {
  const seen: ChatEvent = event;
  if (seen.type === "done") seen.finishReason satisfies string;
  // @ts-expect-error There is no such event.
  if (seen.type === "nothing") break;
}
export const handle: (request: Request) => Promise<Response> = toFetchHandler(tackle);
`,
  );
  const flags = "--noEmit --strict --skipLibCheck --module nodenext --target es2023 --lib es2023,dom".split(
    " ",
  );
  await node(join(root, "node_modules/typescript/bin/tsc"), ...flags, "typed.ts");
});

it("has a command that starts from the built files", async ({ skip }) => {
  if (unreachable) skip(unreachable);
  const data = join(folder, "data");
  const env = { ...process.env, TACKLE_DATA: data, TACKLE_MODEL: "demo/demo" };
  const command = join(project, "node_modules/tackle/bin/tackle.mjs");
  const running = run(process.execPath, [command, "-p", "What is 2 + 2?"], { cwd: project, env });
  running.child.stdin?.end();
  const { stdout } = await running;
  expect(stdout).toContain("4");
});

it(
  "is a command that works in the folder where it is called, once it is installed globally",
  async ({ skip }) => {
    if (unreachable) skip(unreachable);
    const prefix = join(folder, "global");
    const flags = [
      "--global",
      "--prefix",
      prefix,
      "--omit=optional",
      "--prefer-offline",
      "--no-audit",
      "--no-fund",
    ];
    await run("npm", ["install", ...flags, tarball], { cwd: folder });
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "notes.txt"), "three blind mice\n");
    const path = [join(prefix, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter);
    const env = {
      ...process.env,
      PATH: path,
      TACKLE_DATA: join(folder, "data-2"),
      TACKLE_MODEL: "demo/demo",
    };
    const tackle = (...args: string[]) => {
      const running = run("tackle", args, { cwd: elsewhere, env });
      running.child.stdin?.end();
      return running;
    };
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect((await tackle("--version")).stdout.trim()).toBe(version);
    expect((await tackle("-p", "read notes.txt")).stdout).toContain("three blind mice");
  },
  MINUTES,
);

it("makes an artifact in the demo", async ({ skip }) => {
  if (unreachable) skip(unreachable);
  const catalogue = "./node_modules/tackle/dist/sim/demo/artifacts/catalogue.js";
  const { stdout } = await node(
    "--input-type=module",
    "--eval",
    `import { artifactFor } from "${catalogue}"; console.log(artifactFor("make a counter").code);`,
  );
  expect(stdout).toContain("export default function Counter()");
});

it("stays small", ({ skip }) => {
  if (unreachable) skip(unreachable);
  const lock = JSON.parse(readFileSync(join(project, "node_modules/.package-lock.json"), "utf8"));
  const packages = Object.keys(lock.packages).length;
  const megabytes = bytesIn(join(project, "node_modules")) / 1e6;
  const packed = statSync(tarball).size / 1e6;
  console.log(
    `package: ${packed.toFixed(1)} MB packed; installed without optional engines ${megabytes.toFixed(1)} MB, ${packages} packages`,
  );
  expect(packages).toBeLessThan(MOST_PACKAGES);
  expect(megabytes).toBeLessThan(MOST_MEGABYTES);
});

/** Returns the files of src/ that the server reads, such as scripts and samples. The compiler does not copy them. */
function readAtRunTime(): string[] {
  return readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.tsx?$/.test(entry.name))
    .map((entry) => relative(join(root, "src"), join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((path) => !/^web\/|\/(?:testing|vendored)\//.test(path));
}

function bytesIn(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
