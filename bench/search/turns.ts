/**
 * Watches the turns of this thread's event loop, and returns a function that ends it with the longest one in milliseconds of
 * CPU time. Other processes on the machine do not count; garbage collection on this thread does.
 */
export function watchTurns(): () => number {
  let longest = 0;
  let watching = true;
  let before = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
    if (watching) setImmediate(look);
  };
  setImmediate(look);
  return () => {
    watching = false;
    return longest;
  };
}
