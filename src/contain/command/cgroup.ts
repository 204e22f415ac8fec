import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errnoOf } from "../paths.ts";
import type { CommandLimits } from "./limits.ts";

/** A control group for one command. */
export interface ControlGroup {
  /** A process that writes its id here joins the group, with all its children. */
  readonly joinFile: string;
  remove(): Promise<void>;
}

const REMOVE_ATTEMPTS = 20;

/**
 * Creates a control group below our own that limits the number of processes and, with version 2, their memory. Returns
 * undefined where that is not possible. Only needed for root, whose processes no other limit counts.
 */
export async function createControlGroup(limits: CommandLimits): Promise<ControlGroup | undefined> {
  for (const parent of await ownGroups()) {
    const folder = join(parent, `tackle-${process.pid}-${randomUUID()}`);
    try {
      await mkdir(folder);
      await sweep(parent);
    } catch {
      continue; // No permission; try the next hierarchy.
    }
    try {
      await writeFile(join(folder, "pids.max"), String(limits.processes + 3), { flag: "r+" });
      await setIfThere(join(folder, "memory.max"), limits.totalMemoryBytes);
      return { joinFile: join(folder, "cgroup.procs"), remove: () => removeGroup(folder) };
    } catch {
      await removeGroup(folder); // The group lacks this controller.
    }
  }
  return undefined;
}

/** The control groups of this process: version 2, then the `pids` hierarchy of version 1. */
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

/** Removes groups that killed processes of ours left behind; once per parent. */
async function sweep(parent: string): Promise<void> {
  if (swept.has(parent)) return;
  swept.add(parent);
  for (const name of await readdir(parent)) {
    const pid = Number(/^tackle-(\d+)-/.exec(name)?.[1] ?? process.pid);
    // A group that is in use cannot be removed.
    if (!isRunning(pid)) await rmdir(join(parent, name)).catch(() => {});
  }
}

/** Whether a process with this id runs. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) !== "ESRCH";
  }
}

async function setIfThere(file: string, value: number): Promise<void> {
  await writeFile(file, String(value), { flag: "r+" }).catch(() => {}); // Memory is also watched.
}

/** Removes a group. It stays busy for a moment after its last process was killed. */
async function removeGroup(folder: string): Promise<void> {
  for (let attempt = 1; attempt <= REMOVE_ATTEMPTS; attempt += 1) {
    try {
      await rmdir(folder);
      return;
    } catch {
      await delay(attempt * 5); // Still busy. An empty group that stays behind does no harm.
    }
  }
}
