import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "./support/server.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "..");
const ownNode = join("node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
let clone: ReturnType<typeof temporaryFolder>;

/** In the place of npm: it takes a moment, says that it ran, and installs a Node that cannot run here, such as one for another libc. */
const NPM = `
const fs = require("node:fs"), path = require("node:path");
fs.appendFileSync("installed", "once\\n");
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
fs.mkdirSync(path.dirname(process.env.OWN_NODE), { recursive: true });
fs.writeFileSync(process.env.OWN_NODE, "#!/no/such/loader\\n", { mode: 0o755 });
fs.mkdirSync("node_modules/.bin", { recursive: true });
fs.rmSync("node_modules/.bin/node", { force: true });
fs.symlinkSync("../../" + process.env.OWN_NODE, "node_modules/.bin/node");`;

beforeEach(() => {
  clone = temporaryFolder();
  cpSync(join(root, "scripts"), join(clone.path, "scripts"), { recursive: true });
  writeFileSync(join(clone.path, "package-lock.json"), "{}");
  writeFileSync(join(clone.path, "npm-cli.js"), NPM);
});
afterEach(() => clone.remove());

/** Installs the packages of the clone, and prints which Node would run the server. */
async function install(): Promise<{ stdout: string; stderr: string }> {
  const program = `import("./scripts/setup.mjs").then((setup) => { setup.install("run"); console.log(setup.nodePath()); })`;
  const env = { ...process.env, npm_execpath: join(clone.path, "npm-cli.js"), OWN_NODE: ownNode };
  return execute(process.execPath, ["-e", program], { cwd: clone.path, env });
}

function timesInstalled(): number {
  return readFileSync(join(clone.path, "installed"), "utf8").trim().split("\n").length;
}

it("installs once when two programs of a clone start together", async () => {
  const both = await Promise.all([install(), install()]);
  expect(timesInstalled()).toBe(1);
  expect(both.map(({ stderr }) => stderr).join("")).toContain("waiting for another process");
});

it("does not wait for a process that was killed while it prepared the clone", async () => {
  mkdirSync(join(clone.path, "dist"));
  writeFileSync(join(clone.path, "dist", "setup.lock"), "4194999");
  const { stderr } = await install();
  expect(stderr).toContain("installing packages");
  expect(existsSync(join(clone.path, "dist", "setup.lock"))).toBe(false);
});

it("runs on the machine's own Node where the installed one cannot run, as on Linux with musl", async () => {
  const { stdout } = await install();
  expect(stdout.trim()).toBe(process.execPath);
  expect(existsSync(join(clone.path, dirname(ownNode)))).toBe(false);
  expect(() => readFileSync(join(clone.path, "node_modules/.bin/node"))).toThrow("ENOENT");
});
