import { readdirSync, readFileSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;

let found: number[] | undefined;

/**
 * Descriptors above the usual three that whoever started us left open for every child to have. Ours all close by
 * themselves, so these do not change, and are looked for once.
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
    return false; // Closed meanwhile: it was the listing itself.
  }
}
