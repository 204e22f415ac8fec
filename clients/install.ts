import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Installed {
  /** The folder with its `node_modules`. */
  folder: string;
  /** The versions of the packages, in their order. */
  versions: string[];
}

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "tackle-clients");
const INSTALL_MS = 600_000;
const run = promisify(execFile);

/** Installs the newest versions of these packages, unless they are in the cache. Throws if that is not possible. */
export async function install(name: string, packages: readonly string[]): Promise<Installed> {
  const versions = await Promise.all(packages.map(newestOf));
  const wanted = packages.map((one, index) => `${one}@${versions[index]}`);
  const digest = createHash("sha256").update(wanted.join()).digest("hex").slice(0, 12);
  const folder = join(cache, name, `${versions[0]}-${digest}`);
  if (!existsSync(folder)) {
    const fresh = `${folder}.${process.pid}`;
    await mkdir(fresh, { recursive: true });
    try {
      await writeFile(join(fresh, "package.json"), '{ "private": true, "type": "module" }\n');
      await npm(["install", "--no-audit", "--no-fund", "--no-save", ...wanted], fresh);
      await rename(fresh, folder);
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
  }
  return { folder, versions: await Promise.all(packages.map((one) => versionIn(folder, one))) };
}

async function newestOf(name: string): Promise<string> {
  return (await npm(["view", name, "version"], ".")).trim();
}

async function versionIn(folder: string, name: string): Promise<string> {
  return JSON.parse(await readFile(join(folder, "node_modules", name, "package.json"), "utf8")).version;
}

/** Must not block: the scripted vendor of other clients runs in this process. */
async function npm(args: string[], cwd: string): Promise<string> {
  return (await run("npm", [...args, "--loglevel=error"], { cwd, timeout: INSTALL_MS })).stdout;
}
