import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errnoOf } from "../paths.ts";
import type { CommandLimits } from "./limits.ts";

/** A control group for one command. */
export interface ControlGroup {
  /** Who writes their process id here is in the group, with all their children. */
  readonly joinFile: string;
  remove(): Promise<void>;
}

const REMOVE_ATTEMPTS = 20;

/**
 * A group that holds the number of processes down, and with version 2 their memory, below the group that we are in;
 * undefined where the system does not let us make one. Needed for root alone, whose processes no other limit counts.
 */
export async function createControlGroup(limits: CommandLimits): Promise<ControlGroup | undefined> {
  for (const parent of await ownGroups()) {
    const folder = join(parent, `tackle-${process.pid}-${randomUUID()}`);
    try {
      await mkdir(folder);
      await sweep(parent);
    } catch {
      continue; // Not ours to make groups in: the next kind, or none.
    }
    try {
      await writeFile(join(folder, "pids.max"), String(limits.processes + 2), { flag: "r+" });
      await setIfThere(join(folder, "memory.max"), limits.totalMemoryBytes);
      return { joinFile: join(folder, "cgroup.procs"), remove: () => removeGroup(folder) };
    } catch {
      await removeGroup(folder); // A group without this controller is of no use.
    }
  }
  return undefined;
}

/** The folders of the groups that this process is in: version 2, then the `pids` hierarchy of version 1. */
async function ownGroups(): Promise<string[]> {
  const [groups, mounts] = await Promise.all([
    readFile("/proc/self/cgroup", "utf8").catch(() => ""), // Not Linux, or none mounted.
    readFile("/proc/self/mounts", "utf8").catch(() => ""),
  ]);
  const found: string[] = [];
  for (const line of mounts.split("\n")) {
    const [, folder, type, options] = line.split(" ");
    if (folder === undefined) continue;
    const own = (pattern: RegExp) => pattern.exec(groups)?.[1];
    if (type === "cgroup2") found.unshift(join(folder, own(/^0::(.*)$/m) ?? "/"));
    if (type === "cgroup" && options?.split(",").includes("pids")) {
      found.push(join(folder, own(/^\d+:[^:]*\bpids\b[^:]*:(.*)$/m) ?? "/"));
    }
  }
  return found;
}

const swept = new Set<string>();

/** Removes, once, the groups that a process of ours left behind when it was killed. */
async function sweep(parent: string): Promise<void> {
  if (swept.has(parent)) return;
  swept.add(parent);
  for (const name of await readdir(parent)) {
    const pid = Number(/^tackle-(\d+)-/.exec(name)?.[1] ?? process.pid);
    // A group with somebody in it cannot be removed, and need not be.
    if (!isRunning(pid)) await rmdir(join(parent, name)).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) !== "ESRCH";
  }
}

async function setIfThere(file: string, value: number): Promise<void> {
  await writeFile(file, String(value), { flag: "r+" }).catch(() => {}); // Memory is watched as well.
}

/** A group can go once its last process has been buried, which may be a moment after it was killed. */
async function removeGroup(folder: string): Promise<void> {
  for (let attempt = 1; attempt <= REMOVE_ATTEMPTS; attempt += 1) {
    try {
      await rmdir(folder);
      return;
    } catch {
      await delay(attempt * 5); // Still busy; an empty group that is left behind does no harm.
    }
  }
}
