/** What a command may use. Sizes are in bytes. */
export interface CommandLimits {
  /** Processor time of each process. */
  cpuSeconds: number;
  /** Private memory of each process. */
  memoryBytes: number;
  /** Address space of each process; far above its memory, because runtimes reserve space that they never use. */
  addressBytes: number;
  /** Memory of all its processes together. */
  totalMemoryBytes: number;
  /** One file. */
  fileBytes: number;
  /** How much fuller the disk may become while it runs. */
  diskBytes: number;
  /** How many files more there may be on the disk. */
  diskFiles: number;
  /** The temporary folder, which is in memory. */
  temporaryBytes: number;
  processes: number;
  openFiles: number;
  /** What it may print before it is stopped; of this only the beginning is kept. */
  outputBytes: number;
}

const MEGABYTE = 1024 * 1024;

export const DEFAULT_LIMITS: CommandLimits = {
  cpuSeconds: 300,
  memoryBytes: 1024 * MEGABYTE,
  addressBytes: 16 * 1024 * MEGABYTE,
  totalMemoryBytes: 2 * 1024 * MEGABYTE,
  fileBytes: 50 * MEGABYTE,
  diskBytes: 2 * 1024 * MEGABYTE,
  diskFiles: 500_000,
  temporaryBytes: 64 * MEGABYTE,
  processes: 256,
  openFiles: 1_024,
  outputBytes: 64 * MEGABYTE,
};

/**
 * The shell words that set the limits on themselves and then become the command. They are hard limits: without
 * privileges nothing that runs afterwards can raise them; where the host's own are lower, those stay. The number of
 * processes is counted per user, so it is only set where the sandbox counts for itself (`ownUser`); shells differ in the
 * letter for it.
 */
export function limitedShell(command: string, limits: CommandLimits, ownUser: boolean): string[] {
  const kilobytes = (bytes: number) => Math.ceil(bytes / 1024);
  const script = [
    'limit() { ulimit "$1" "$2" 2>/dev/null || [ "$(ulimit -H "$1")" -le "$2" ]; }',
    "limit -c 0",
    `limit -t ${limits.cpuSeconds}`,
    `limit -f ${Math.ceil(limits.fileBytes / 512)}`,
    `limit -n ${limits.openFiles}`,
    // Elsewhere the kernel knows no such limits.
    ...(process.platform === "linux"
      ? [`limit -d ${kilobytes(limits.memoryBytes)}`, `limit -v ${kilobytes(limits.addressBytes)}`]
      : []),
    ...(ownUser ? [`{ limit -u ${limits.processes} || limit -p ${limits.processes}; } 2>/dev/null`] : []),
    'exec /bin/sh -c "$1"',
  ].join(" && ");
  return ["/bin/sh", "-c", script, "sh", command];
}
