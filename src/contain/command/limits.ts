/** What a command may use. Sizes are in bytes. */
export interface CommandLimits {
  /** Processor time of each process. */
  cpuSeconds: number;
  /** Private memory of each process. */
  memoryBytes: number;
  /** Address space of each process. Runtimes reserve far more of it than they use. */
  addressBytes: number;
  /** Memory of all its processes together. */
  totalMemoryBytes: number;
  /** One file. */
  fileBytes: number;
  /** Disk space that may be used while it runs. */
  diskBytes: number;
  /** Files that may be created while it runs. */
  diskFiles: number;
  /** The temporary folder, which is in memory. */
  temporaryBytes: number;
  processes: number;
  openFiles: number;
  /** Output after which it is stopped. Only the beginning of it is kept. */
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
  diskFiles: 250_000,
  temporaryBytes: 64 * MEGABYTE,
  processes: 256,
  openFiles: 1_024,
  outputBytes: 64 * MEGABYTE,
};

/**
 * Returns a shell call that sets hard limits on itself and then becomes the command, so nothing can raise them without
 * privileges. Lower limits of the host stay. The kernel counts processes per user, so that limit is only set where the
 * sandbox has its own user (`ownUser`). Shells differ in the letter for it.
 */
export function limitedShell(command: string, limits: CommandLimits, ownUser: boolean): string[] {
  const kilobytes = (bytes: number) => Math.ceil(bytes / 1024);
  const script = [
    'limit() { ulimit "$1" "$2" 2>/dev/null || [ "$(ulimit -H "$1")" -le "$2" ]; }',
    "limit -c 0",
    `limit -t ${limits.cpuSeconds}`,
    `limit -f ${Math.ceil(limits.fileBytes / 512)}`,
    `limit -n ${limits.openFiles}`,
    // Other kernels do not have these limits.
    ...(process.platform === "linux"
      ? [`limit -d ${kilobytes(limits.memoryBytes)}`, `limit -v ${kilobytes(limits.addressBytes)}`]
      : []),
    ...(ownUser ? [`{ limit -u ${limits.processes} || limit -p ${limits.processes}; } 2>/dev/null`] : []),
    'exec /bin/sh -c "$1"',
  ].join(" && ");
  return ["/bin/sh", "-c", script, "sh", command];
}
