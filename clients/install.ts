import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export interface Installed {
  /** The folder with its `node_modules`. */
  folder: string;
  /** The versions of the packages, in their order. */
  versions: string[];
}

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "tackle-clients");
const INSTALL_MS = 600_000;

/** Installs the newest versions of these packages, unless they are in the cache. Throws if that is not possible. */
export function install(name: string, packages: readonly string[]): Installed {
  const wanted = packages.map((one) => `${one}@${newestOf(one)}`);
  const folder = join(cache, name, wanted.map((one) => one.replaceAll("/", "+")).join(","));
  const short = folder.length > 200 ? join(cache, name, hash(folder)) : folder;
  if (!existsSync(short)) {
    const fresh = `${short}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    writeFileSync(join(fresh, "package.json"), '{ "private": true, "type": "module" }\n');
    const flags = ["--no-audit", "--no-fund", "--loglevel=error", "--no-save"];
    const done = npm(["install", ...flags, ...wanted], fresh);
    if (done.status !== 0) {
      rmSync(fresh, { recursive: true, force: true });
      throw new Error(`npm cannot install ${wanted.join(" ")}: ${String(done.stderr).trim().slice(-400)}`);
    }
    renameSync(fresh, short);
  }
  return { folder: short, versions: packages.map((one) => versionIn(short, one)) };
}

function newestOf(name: string): string {
  const done = npm(["view", name, "version"], ".");
  const version = String(done.stdout).trim();
  if (done.status === 0 && version) return version;
  throw new Error(`npm does not know ${name}: ${String(done.stderr).trim().slice(-400)}`);
}

function versionIn(folder: string, name: string): string {
  return JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version;
}

function npm(args: string[], cwd: string) {
  return spawnSync("npm", args, {
    cwd,
    encoding: "utf8",
    timeout: INSTALL_MS,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function hash(text: string): string {
  return [...text]
    .reduce((sum, one) => (Math.imul(sum, 31) + (one.codePointAt(0) ?? 0)) >>> 0, 7)
    .toString(16);
}
