import { readdir, readFile, stat, statfs } from "node:fs/promises";
import { byteSize } from "../../protocol/byte-size.ts";
import type { CommandLimits } from "./limits.ts";

const WATCH_MS = 250;
/** Processes that the sandbox itself needs. */
const OWN_PROCESSES = 3;

/** The kernel's number for file systems in memory. */
const IN_MEMORY = 0x01021994;
/** File systems in memory that its own sandbox may have. */
const TEMPORARY = ["/tmp", "/dev/shm"];

/** Watches what the kernel does not limit: all processes of a command together, and the disks that it can write to. */
export function watchUsage(
  pid: number,
  folders: readonly string[],
  limits: CommandLimits,
  onExcess: (reason: string) => void,
): { stop(): void } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const atStart = Promise.all([sharedMemory(), ...folders.map(freeOn)]);

  async function look(): Promise<void> {
    const reason = await excess();
    if (stopped) return;
    if (reason === undefined) timer = setTimeout(() => void look(), WATCH_MS);
    else onExcess(reason);
  }

  async function excess(): Promise<string | undefined> {
    const processes = await processesBelow(pid);
    if (processes.length > limits.processes + OWN_PROCESSES)
      return `it had more than ${limits.processes} processes`;
    const [shared, ...before] = await atStart;
    // Memory of files without a name belongs to no process that could be asked.
    const memory = Math.max(await memoryOf(processes), (await sharedMemory()) - shared);
    if (memory > limits.totalMemoryBytes)
      return `its processes together used more than ${byteSize(limits.totalMemoryBytes)} of memory`;
    for (const [index, folder] of folders.entries()) {
      const now = await freeOn(folder);
      const was = before[index] ?? now;
      if (was.bytes - now.bytes > limits.diskBytes)
        return `the disk became fuller by ${byteSize(limits.diskBytes)}`;
      if (was.files - now.files > limits.diskFiles) return `it made more than ${limits.diskFiles} files`;
    }
    if ((await temporaryFiles(processes.at(-1) ?? pid)) > limits.diskFiles)
      return `it made more than ${limits.diskFiles} temporary files`;
    return undefined;
  }

  timer = setTimeout(() => void look(), WATCH_MS);
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Bytes in memory that all processes of the machine share, or that belong to files there. */
async function sharedMemory(): Promise<number> {
  return kilobytes(await readOrNothing("/proc/meminfo"), /^Shmem:\s+(\d+)/gm) * 1024;
}

/** The number of files in the temporary folders that only a process and its sandbox have. */
async function temporaryFiles(pid: number): Promise<number> {
  let total = 0;
  for (const folder of TEMPORARY) {
    const inside = `/proc/${pid}/root${folder}`;
    const [found, own, theirs] = await Promise.all([statfs(inside), stat(folder), stat(inside)]).catch(
      () => [], // It has ended meanwhile, or there is no such folder.
    );
    if (found?.type === IN_MEMORY && own?.dev !== theirs?.dev) total += found.files - found.ffree;
  }
  return total;
}

/** Free space; zero if it is unknown, so that nothing counts as used. */
async function freeOn(folder: string): Promise<{ bytes: number; files: number }> {
  return statfs(folder).then(
    ({ bavail, bsize, ffree }) => ({ bytes: bavail * bsize, files: ffree }),
    () => ({ bytes: 0, files: 0 }), // The folder is gone. The limit for a single file still applies.
  );
}

/** A process and its descendants. Orphans stay below the sandbox's first process. */
async function processesBelow(pid: number): Promise<number[]> {
  const found = [pid];
  for (let index = 0; index < found.length && found.length < 100_000; index += 1) {
    found.push(...(await childrenOf(found[index] ?? pid)));
  }
  return found;
}

async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []); // It has ended meanwhile.
  const lists = await Promise.all(tasks.map((task) => readOrNothing(`/proc/${pid}/task/${task}/children`)));
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

/** Total memory of processes. Shared memory is only deduplicated if the quick sum is high. */
async function memoryOf(pids: readonly number[]): Promise<number> {
  let total = 0;
  for (const pid of pids)
    total += kilobytes(await readOrNothing(`/proc/${pid}/status`), /^Rss(?:Anon|Shmem):\s+(\d+)/gm);
  if (total < 1024 * 1024) return total * 1024;
  let shared = 0;
  for (const pid of pids) {
    const rollup = await readOrNothing(`/proc/${pid}/smaps_rollup`);
    // Not readable for every user: use the quick sum.
    if (rollup === "") return total * 1024;
    shared += kilobytes(rollup, /^Pss_(?:Anon|Shmem):\s+(\d+)/gm);
  }
  return Math.min(total, shared) * 1024;
}

function kilobytes(text: string, fields: RegExp): number {
  return [...text.matchAll(fields)].reduce((sum, [, value]) => sum + Number(value), 0);
}

async function readOrNothing(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => ""); // It has ended, or belongs to another user.
}
