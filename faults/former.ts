import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The commit of the release before this one. */
const FORMER = "58a7cf92f80e6b321c995edb370ba23a3c6ccc84";
const ROOT = resolve(import.meta.dirname, "..");

let unpacked: string | undefined;

/** Returns why the former release cannot be started here, if so. */
export function missingFormer(): string | undefined {
  try {
    execFileSync("git", ["cat-file", "-e", `${FORMER}^{commit}`], { cwd: ROOT, stdio: "ignore" });
    return undefined;
  } catch {
    return `the former release (${FORMER.slice(0, 7)}) is not in this clone's history, which may be a shallow one`;
  }
}

/** Returns the command of the former release. Its code is unpacked from the history once, and removed at the end. */
export function formerCommand(): string {
  unpacked ??= unpack();
  return join(unpacked, "bin", "tackle.mjs");
}

function unpack(): string {
  const folder = mkdtempSync(join(tmpdir(), "tackle-former-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const archive = execFileSync("git", ["archive", FORMER, "src", "bin", "package.json"], {
    cwd: ROOT,
    maxBuffer: 256 * 1024 * 1024,
  });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}
