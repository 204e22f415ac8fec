import { spawn, spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { temporaryFolder } from "../../test/support/server.ts";

const TIMEOUT_SECONDS = 600;

/** Measures `npm start` on a fresh clone of the last commit, with an empty npm cache, until the server is ready. */
export async function measureInstall(): Promise<void> {
  const folder = temporaryFolder();
  const clone = join(folder.path, "clone");
  const source = resolve(import.meta.dirname, "../..");
  const cloned = spawnSync("git", ["clone", "-q", "--depth", "1", `file://${source}`, clone], {
    stdio: "inherit",
  });
  if (cloned.status !== 0) throw new Error("git could not clone this repository");
  const port = await freePort();
  const began = performance.now();
  const since = () => (performance.now() - began) / 1000;
  const child = spawn("npm", ["start", "--", "--port", String(port), "--data", join(folder.path, "data")], {
    cwd: clone,
    detached: true,
    env: { ...withoutNpm(process.env), npm_config_cache: join(folder.path, "cache") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  let [startsInstall, endsInstall]: (number | undefined)[] = [];
  const read = (chunk: Buffer) => {
    printed += chunk.toString();
    if (printed.includes("installing packages")) startsInstall ??= since();
    if (printed.includes("building ")) endsInstall ??= since();
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null || since() > TIMEOUT_SECONDS) throw new Error(`never ready:\n${printed}`);
      await pause(50);
    }
    const ready = since();
    const modules = join(clone, "node_modules");
    console.log(`node_modules: ${Math.round(diskMegabytes(modules))} MB (figure: at most 600)`);
    console.log(`packages: ${countPackages(modules)} (figure: at most 400)`);
    console.log(
      `install: ${((endsInstall ?? ready) - (startsInstall ?? 0)).toFixed(1)} s (figure: at most 25)`,
    );
    console.log(`npm start to ready: ${ready.toFixed(1)} s (figure: at most 40)`);
  } finally {
    if (child.pid && child.exitCode === null) {
      process.kill(-child.pid, "SIGTERM");
      await new Promise((done) => child.once("exit", done));
    }
    folder.remove();
  }
}

/** Returns the environment without the variables of the npm that runs this bench. */
function withoutNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const path = (env.PATH ?? "").split(":").filter((entry) => !entry.includes("node_modules"));
  const others = Object.entries(env).filter(([name]) => !/^(npm_|TACKLE_|INIT_CWD)/.test(name));
  return { ...Object.fromEntries(others), PATH: path.join(":") };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === "object" && address ? address.port : 0;
}

function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );
}

/** Returns the space on disk like `du -sm`: a file with several hard links counts once. */
function diskMegabytes(directory: string): number {
  const blocks = new Map<number, number>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const file = lstatSync(join(entry.parentPath, entry.name));
    blocks.set(file.ino, file.blocks);
  }
  return [...blocks.values()].reduce((sum, count) => sum + count, 0) / 2048;
}

function countPackages(modules: string): number {
  const { packages } = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8"));
  return Object.keys(packages).length;
}
