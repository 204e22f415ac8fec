// Prepares a clone: installs packages and builds what has changed.
// Plain JavaScript for Node 20, because it runs before the project's own Node is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { serverProgram } from "./server.mjs";
import { vendorIsFresh } from "./vendor.mjs";
import { webIsFresh } from "./web.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, "node_modules", ".tackle-installed");
/** The Node that scripts/node/package.json names. Its `node` is also the one that `npm run` finds first. */
const platform = process.platform === "win32" ? "win" : process.platform;
const nodePackage = join(root, "node_modules", `node-${platform}-${process.arch}`);

const parent = process.ppid;

/** Prints one line about the current step. */
export function say(text) {
  process.stderr.write(`tackle: ${text}\n`);
}

/**
 * Three sets of packages, each of which contains the one before it. What a clone needs in order to run and to build its web
 * app stands in package.json. What only checks, tests and benches need stands in the workspaces below test/: one lockfile
 * covers all of it, npm puts everything into the same node_modules, where src/ finds it, and published packages are not affected.
 *
 * Without `--legacy-peer-deps` the first set would grow by 34 packages that others name as optional peers (vitest, types).
 */
const ALWAYS = ["--include-workspace-root", "--workspace=scripts/node"];
const SETS = {
  run: [...ALWAYS, "--legacy-peer-deps"],
  test: [...ALWAYS, "--workspace=test"],
  mutants: [...ALWAYS, "--workspace=test", "--workspace=test/mutants"],
};

/** Installs one of the sets, unless it was already installed from this lockfile. Never removes a larger one. */
export function install(set) {
  const lockfile = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const names = Object.keys(SETS);
  const [from, installed] = existsSync(stamp) ? readFileSync(stamp, "utf8").split(" ") : [];
  if (from === lockfile && names.indexOf(installed) >= names.indexOf(set)) return;
  say("installing packages (less than a minute, only the first time) …");
  // `npm ci` would reject the lockfile whenever a registry lacks one of the optional builds for other platforms.
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", ...SETS[set]];
  const [npm, ...first] = npmCommand();
  const done = spawnSync(npm, [...first, ...args], { cwd: root, stdio: "inherit" });
  if (done.status !== 0) {
    say("npm install failed; its message is above.");
    process.exit(1);
  }
  removeHeaders();
  writeFileSync(stamp, `${lockfile} ${set}`);
}

/** Returns the npm that started this. On Windows `npm` is a script, which Node starts with a shell alone. */
function npmCommand() {
  const { npm_execpath: started = "" } = process.env;
  if (/npm-cli\.c?js$/.test(started)) return [process.execPath, started];
  const besideNode = join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js");
  return process.platform === "win32" ? [process.execPath, besideNode] : ["npm"];
}

/** Deletes the headers for native add-ons from the Node package: a third of it, and nothing here compiles any. */
function removeHeaders() {
  rmSync(join(nodePackage, "include"), { recursive: true, force: true });
}

/** Builds the modules that artifacts import, unless they are up to date. */
export function buildVendor() {
  if (vendorIsFresh()) return;
  say("building the modules that artifacts may use (a few seconds, only when packages change) …");
  if (run([join(root, "scripts", "vendor.mjs")]) === 0) return;
  say("these modules could not be built; the message is above.");
  process.exit(1);
}

/** Builds the web app, unless it is up to date. */
export function buildWeb() {
  if (webIsFresh()) return;
  say("building the web app (a few seconds, only when it changed) …");
  if (run([join(root, "scripts", "web.mjs")]) === 0) return;
  say("the web app could not be built; the message is above.");
  process.exit(1);
}

/** Bundles the server, unless it is up to date. Returns its program. */
export function buildServer() {
  const program = serverProgram();
  if (existsSync(program)) return program;
  say("bundling the server (a few seconds, only when it changed) …");
  if (run([join(root, "scripts", "server.mjs")]) === 0) return program;
  say("the server could not be bundled; the message is above.");
  process.exit(1);
}

/** Returns the Node that runs the program: the one in node_modules, or this one if it is new enough. */
export function nodePath() {
  const own = join(nodePackage, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(own)) return own;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  say(
    `Node ${process.versions.node} is too old (22.19 or later is needed) and the one in node_modules is missing.`,
  );
  process.exit(1);
}

/** The flag that reads the file `.env` of a clone, if there is one. Variables that are set take precedence. */
export function settingsFlag(folder) {
  const file = join(folder, ".env");
  return existsSync(file) ? [`--env-file=${file}`] : [];
}

/** Runs the `tackle` command in place of this process: passes signals on and exits with its code. */
export function becomeTackle(args) {
  const command = buildServer();
  // The first line of the command holds an environment variable and the flags for Node.
  const [, name, value, flags] = /^#!.* (\w+)=(\w+) node (.*)$/m.exec(readFileSync(command, "utf8"));
  const env = { ...process.env, [name]: value };
  const child = spawn(nodePath(), [...settingsFlag(root), ...flags.split(" "), command, ...args], {
    stdio: "inherit",
    env,
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  stopWithNpm(() => child.kill("SIGTERM"));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
}

/** npm passes SIGTERM on to the shell that it started, which ends and tells nobody. Then this process has another parent. */
function stopWithNpm(stop) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 1_000);
}

/** Runs a step on the project's Node and returns its exit code. */
export function run(args, env = {}) {
  return (
    spawnSync(nodePath(), args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1
  );
}
