// Prepares a clone: installs packages and builds what has changed.
// Plain JavaScript for Node 20, because it runs before the project's own Node is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { takeLock } from "./alone.mjs";
import { serverProgram } from "./server.mjs";
import { vendorIsFresh } from "./vendor.mjs";
import { webIsFresh } from "./web.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, "node_modules", ".tackle-installed");
/** The Node that scripts/node/package.json names. Its `node` is also the one that `npm run` finds first. */
const isWindows = process.platform === "win32";
const nodeName = `node-${isWindows ? "win" : process.platform}-${process.arch}`;
const nodePackage = join(root, "node_modules", nodeName);
const ownNode = join(nodePackage, "bin", isWindows ? "node.exe" : "node");

/** The builds of Node that npm can install for a machine whose own one is too old. */
const OWN_NODES = new Set(
  Object.keys(
    JSON.parse(readFileSync(join(root, "scripts", "node", "package.json"), "utf8")).optionalDependencies,
  ),
);

const parent = process.ppid;

/** Prints one line about the current step. */
export function say(text) {
  process.stderr.write(`tackle: ${text}\n`);
}

/**
 * Three sets of packages, each of which contains the one before it. What a clone needs in order to run and to build its web
 * app appears in package.json. What only checks, tests and benches need appears in the workspaces below test/: one lockfile
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
  prepare(
    () => isInstalled(set, lockfile),
    () => installNow(set, lockfile),
  );
}

function isInstalled(set, lockfile) {
  const names = Object.keys(SETS);
  const [from, installed] = existsSync(stamp) ? readFileSync(stamp, "utf8").split(" ") : [];
  return from === lockfile && names.indexOf(installed) >= names.indexOf(set);
}

function installNow(set, lockfile) {
  if (!OWN_NODES.has(nodeName) && !isNewEnough()) stopForNode();
  say("installing packages (less than a minute, only the first time) …");
  // `npm ci` would reject the lockfile whenever a registry lacks one of the optional builds for other platforms.
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", ...SETS[set]];
  const [npm, ...first] = npmCommand();
  const done = spawnSync(npm, [...first, ...args], { cwd: root, stdio: "inherit" });
  if (done.status !== 0) {
    say("npm install failed; its message is above. Correct what it names, then start again.");
    process.exit(1);
  }
  removeHeaders();
  removeForeignNode();
  writeFileSync(stamp, `${lockfile} ${set}`);
}

/** Returns the npm that started this. On Windows `npm` is a script, which Node starts with a shell alone. */
function npmCommand() {
  const { npm_execpath: started = "" } = process.env;
  if (/npm-cli\.c?js$/.test(started)) return [process.execPath, started];
  const besideNode = join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js");
  return isWindows ? [process.execPath, besideNode] : ["npm"];
}

/**
 * Makes one step, unless another process has already made it. Nothing is written where there is nothing to do, so that a clone that
 * is prepared may be read-only.
 */
function prepare(isDone, work) {
  if (isDone()) return;
  let release;
  try {
    release = takeLock(join(root, "dist", "setup.lock"), () =>
      say("waiting for another process that prepares this clone …"),
    );
  } catch (error) {
    if (!/^(?:EACCES|EPERM|EROFS|ENOSPC|EDQUOT)$/.test(error.code)) throw error;
    say(`nothing can be written into ${root} (${error.code}). Make room, or make it writable for this user.`);
    process.exit(1);
  }
  try {
    if (!isDone()) work();
  } finally {
    release();
  }
}

/** Deletes the headers for native add-ons from the Node package: a third of it, and nothing here compiles any. */
function removeHeaders() {
  rmSync(join(nodePackage, "include"), { recursive: true, force: true });
}

/**
 * Some systems cannot run the Node that npm took for them, such as Linux with musl. The machine's own one then runs everything,
 * and `npm run` must not find the other.
 */
function removeForeignNode() {
  if (!existsSync(ownNode) || spawnSync(ownNode, ["--version"]).status === 0) return;
  rmSync(nodePackage, { recursive: true, force: true });
  for (const name of ["node", "node.cmd", "node.ps1"])
    rmSync(join(root, "node_modules", ".bin", name), { force: true });
}

/** Builds the modules that artifacts import, unless they are up to date. */
export function buildVendor() {
  build("the modules that artifacts may use", "packages change", vendorIsFresh, "vendor.mjs");
}

/** Builds the web app, unless it is up to date. */
export function buildWeb() {
  build("the web app", "it changed", webIsFresh, "web.mjs");
}

/** Bundles the server, unless it is up to date. Returns its program. */
export function buildServer() {
  const program = serverProgram();
  build("the server", "it changed", () => existsSync(program), "server.mjs");
  return program;
}

function build(what, reason, isFresh, script) {
  prepare(isFresh, () => {
    say(`building ${what} (a few seconds, only when ${reason}) …`);
    if (run([join(root, "scripts", script)]) === 0) return;
    say(`${what} could not be built; the message is above.`);
    process.exit(1);
  });
}

/** Returns the Node that runs the program: the one in node_modules, or this one if it is new enough. */
export function nodePath() {
  if (existsSync(ownNode)) return ownNode;
  if (isNewEnough()) return process.execPath;
  return stopForNode();
}

function isNewEnough() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 19);
}

function stopForNode() {
  say(
    `Node ${process.versions.node} is too old: install 22.19 or later, for example from https://nodejs.org.`,
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

/** npm passes SIGTERM on to the shell that it started, which ends without passing it on. Then this process has another parent. */
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
