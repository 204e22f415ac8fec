import { readdirSync, readFileSync } from "node:fs";

/** Returns the busy milliseconds of all cores, including time stolen by the host; NaN if the system does not tell. */
export function machineTime(): number {
  const [line = ""] = read("/proc/stat").split("\n", 1);
  const [user, nice, system, , , interrupts, soft, stolen] = line.split(/\s+/).slice(1).map(Number);
  return [user, nice, system, interrupts, soft, stolen].reduce<number>(
    (sum, ticks) => sum + (ticks ?? Number.NaN) * 10,
    0,
  );
}

/** Returns the CPU milliseconds of a process and its children; NaN if the system does not tell. */
export function treeTime(pid: number): number {
  const children = processes().filter((child) => parentOf(child) === pid);
  return timeOf(pid, 4) + children.reduce((sum, child) => sum + (timeOf(child, 2) || 0), 0);
}

/** Returns the bytes of memory that a process holds; NaN if the system does not tell. */
export function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kilobytes ?? Number.NaN) * 1024;
}

/** The first two numbers are the process's own, the others those of children that ended. */
function timeOf(pid: number, numbers: 2 | 4): number {
  const found = fields(pid).slice(11, 11 + numbers);
  return found.length === 0 ? Number.NaN : found.reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

function parentOf(pid: number): number {
  return Number(fields(pid)[1]);
}

/** Returns the fields after the process's name, which may contain anything. */
function fields(pid: number): string[] {
  const line = read(`/proc/${pid}/stat`);
  return line === "" ? [] : line.slice(line.lastIndexOf(")") + 2).split(" ");
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // The process ended, or the system has no such file.
  }
}

function processes(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return []; // Other systems have no such folder.
  }
}
