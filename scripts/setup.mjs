// Makes a clone ready to run: installs what the lockfile names when it is not there yet.
// Plain JavaScript for Node 20, because it runs before the Node that the project brings along is there.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { vendorIsFresh } from "./vendor.mjs";
import { webIsFresh } from "./web.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, "node_modules", ".tackle-installed");

/** Prints one line about what is going on; nothing here is silent for longer than a second. */
export function say(text) {
  process.stderr.write(`tackle: ${text}\n`);
}

/** Installs the packages of the lockfile, unless the ones that are there came from this very lockfile. */
export function install() {
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  say("installing packages (about a minute, only the first time) …");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  // Not `npm ci`: that refuses a lockfile whenever a registry lacks one of the optional builds for other platforms.
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const done = spawnSync(npm, args, { cwd: root, stdio: "inherit" });
  if (done.status !== 0) {
    say("npm install failed; its message is above.");
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}

/** Builds the modules that artifacts import, unless those that are there came from the packages that are installed. */
export function buildVendor() {
  if (vendorIsFresh()) return;
  say("building the modules that artifacts may use (a few seconds, only when packages change) …");
  if (run([join(root, "scripts", "vendor.mjs")]) === 0) return;
  say("these modules could not be built; the message is above.");
  process.exit(1);
}

/** Builds the web app, unless the one that is there was built from the sources as they are. */
export function buildWeb() {
  if (webIsFresh()) return;
  say("building the web app (a few seconds, only when it changed) …");
  if (run([join(root, "scripts", "web.mjs")]) === 0) return;
  say("the web app could not be built; the message is above.");
  process.exit(1);
}

/** The Node that runs the program: the one in node_modules, or this one where it is new enough. */
export function nodePath() {
  const own = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(own)) return own;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  say(
    `Node ${process.versions.node} is too old (22.19 or later is needed) and the one in node_modules is missing.`,
  );
  process.exit(1);
}

/** Becomes the `tackle` command: signals go down, the exit code comes up. */
export function becomeTackle(args) {
  const command = join(root, "bin", "tackle.mjs");
  // The flags that the command runs with stand in its first line, with a variable before them.
  const [, name, value, flags] = /^#!.* (\w+)=(\w+) node (.*)$/m.exec(readFileSync(command, "utf8"));
  const env = { ...process.env, [name]: value };
  const child = spawn(nodePath(), [...flags.split(" "), command, ...args], { stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
}

/** Runs a step to its end on the project's Node and answers its exit code. */
export function run(args, env = {}) {
  return (
    spawnSync(nodePath(), args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1
  );
}
