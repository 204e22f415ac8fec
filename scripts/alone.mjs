// Lets one process at a time prepare a clone: two that start together would install and build over each other.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Longer than any step takes. After that, another program has the number of the process that held the lock. */
const LONGEST_MS = 10 * 60_000;
/** A process writes its number right after it has created the lock. */
const WRITTEN_MS = 1_000;

/**
 * Waits until no other process holds the lock, and takes it. Calls `onWait` once if it has to wait. Returns a function that gives the lock
 * back, as the end of the process does.
 */
export function takeLock(lock, onWait = () => {}) {
  mkdirSync(dirname(lock), { recursive: true });
  for (let waits = false; !take(lock); waits = true) {
    if (!waits) onWait();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  const release = () => {
    process.off("exit", release);
    rmSync(lock, { force: true });
  };
  process.on("exit", release);
  return release;
}

/** Takes the lock, also from a process that ended without giving it back. */
function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  if (wasLeft(lock)) rmSync(lock, { force: true });
  return false;
}

function wasLeft(lock) {
  try {
    const owner = Number(readFileSync(lock, "utf8"));
    const age = Date.now() - statSync(lock).mtimeMs;
    if (age > (owner ? LONGEST_MS : WRITTEN_MS)) return true;
    if (owner) process.kill(owner, 0);
    return false;
  } catch (error) {
    // There is no such process. Without a file, the lock has just been given back.
    return error.code === "ESRCH";
  }
}
