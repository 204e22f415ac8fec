import { readdirSync, readFileSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;

let found: number[] | undefined;

/**
 * Returns the descriptors above the standard three that we inherited and every child would get. Node opens all others with
 * close-on-exec, so the list never changes.
 */
export function inheritedDescriptors(): readonly number[] {
  found ??= look();
  return found;
}

function look(): number[] {
  try {
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((descriptor) => descriptor > 2 && staysOpen(descriptor));
  } catch {
    return []; // Not Linux: there is no list.
  }
}

function staysOpen(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false; // Closed meanwhile.
  }
}
