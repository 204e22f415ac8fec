/** The CPU time that some work takes on this thread, in milliseconds: time on the clock depends on what else the machine does. */
export function cpuTime(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
