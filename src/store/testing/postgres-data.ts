import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const kept = resolve(import.meta.dirname, "../../../node_modules/.cache/tackle-postgres");

/** Who runs the programs, and where. */
interface Place {
  /** The folder of `initdb`. */
  binaries: string;
  folder: string;
  user: { uid: number; gid: number } | undefined;
  /** Of the user `tackle`, over TCP. */
  password: string;
}

/**
 * Creates the data of an empty server in `data` below the folder. The first one of a release is kept, because a copy of it takes a
 * quarter of the CPU time.
 */
export function createData(release: string, place: Place): void {
  const data = join(place.folder, "data");
  const first = join(kept, `${release} ${place.user?.uid ?? ""}`.trim());
  if (existsSync(first)) {
    copy(first, data);
    return;
  }
  initialize(data, place);
  mkdirSync(kept, { recursive: true });
  const staging = `${first}.${process.pid}`;
  copy(data, staging);
  try {
    renameSync(staging, first);
  } catch (error) {
    rmSync(staging, { recursive: true });
    // Another process was faster.
    if (!existsSync(first)) throw error;
  }
}

function initialize(data: string, { binaries, folder, user, password }: Place): void {
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, `${password}\n`);
  if (user) chownSync(passwordFile, user.uid, user.gid);
  const done = spawnSync(
    join(binaries, "initdb"),
    // biome-ignore format: one option and its value a line
    [
      "-D", data, "-U", "tackle", "--pwfile", passwordFile, "-E", "UTF8", "--locale=C", "--no-sync",
      "--auth-local=trust", "--auth-host=scram-sha-256",
    ],
    { cwd: folder, encoding: "utf8", ...user },
  );
  if (done.status !== 0) throw new Error(`initdb failed: ${done.stderr || done.error}`);
}

/** Copies a folder with owners and permissions, without which PostgreSQL does not start. */
function copy(from: string, to: string): void {
  const done = spawnSync("cp", ["-a", from, to], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`the data could not be copied: ${done.stderr || done.error}`);
}
