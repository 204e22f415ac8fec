import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";

/** Milliseconds of CPU, summed over cores. */
export interface MachineTime {
  busy: number;
  all: number;
}

/** What all cores have done since the machine was started. */
export function machineTime(): MachineTime {
  const cores = cpus().map(({ times }) => {
    const all = times.user + times.nice + times.sys + times.irq + times.idle;
    return { all, busy: all - times.idle };
  });
  return {
    all: cores.reduce((sum, core) => sum + core.all, 0),
    busy: cores.reduce((sum, core) => sum + core.busy, 0),
  };
}

/** Milliseconds of CPU that a process and its children have had, to a hundredth of a second each; NaN where the system does not tell. */
export function treeTime(pid: number): number {
  const children = processes().filter((child) => parentOf(child) === pid);
  return timeOf(pid, 4) + children.reduce((sum, child) => sum + (timeOf(child, 2) || 0), 0);
}

/** The first two of these numbers are the process's own, the others those of children that have ended. */
function timeOf(pid: number, numbers: 2 | 4): number {
  const found = fields(pid).slice(11, 11 + numbers);
  return found.length === 0 ? Number.NaN : found.reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

function parentOf(pid: number): number {
  return Number(fields(pid)[1]);
}

/** The fields of a process behind its name, which may hold anything. */
function fields(pid: number): string[] {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    return line.slice(line.lastIndexOf(")") + 2).split(" ");
  } catch {
    return []; // It has ended, or this system tells in another way.
  }
}

function processes(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return []; // Other systems have no such folder.
  }
}
