import { type SyscallTable, syscallTable } from "./syscalls.ts";

/** One instruction of classic BPF. */
type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

const LOAD = 0x20;
const RETURN = 0x06;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const refuse = (errno: number) => 0x00050000 | errno;
const EPERM = refuse(1);
const ENOSYS = refuse(38);
const EOPNOTSUPP = refuse(95);
const EAFNOSUPPORT = refuse(97);
/** Another process decides about the call and makes it. */
const ASK_BROKER = 0x7fc00000;

/** Offsets into the `seccomp_data` that the kernel shows the filter. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const argumentAt = (index: number) => 16 + 8 * index;

/** Calls that no command needs and that affect the kernel, other processes or the sandbox itself. */
const REFUSED = `
  ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd mount umount2 pivot_root chroot mount_setattr
  open_tree open_tree_attr move_mount fsopen fsconfig fsmount fspick unshare setns keyctl add_key
  request_key bpf perf_event_open userfaultfd memfd_secret io_uring_setup io_uring_enter io_uring_register
  kexec_load kexec_file_load init_module finit_module delete_module create_module name_to_handle_at
  open_by_handle_at fanotify_init lookup_dcookie move_pages migrate_pages swapon swapoff reboot
  sethostname setdomainname acct quotactl quotactl_fd settimeofday clock_settime clock_adjtime adjtimex
  syslog vhangup nfsservctl iopl ioperm modify_ldt uselib _sysctl file_setattr`
  .trim()
  .split(/\s+/);

/** What a separate namespace makes harmless: without one, the command would share them with all other processes. */
const SHARED = `
  shmget shmat shmctl shmdt semget semop semtimedop semctl msgget msgsnd msgrcv msgctl mq_open mq_unlink ioprio_set`
  .trim()
  .split(/\s+/);
/** They change extended attributes, also of files that may not be written. Programs take it for a file system without them. */
const EXTENDED_ATTRIBUTES = `
  setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat`
  .trim()
  .split(/\s+/);
/** The argument that names a process. Zero is the caller itself. */
const PROCESS_ARGUMENTS: Record<string, number> = {
  prlimit64: 0,
  sched_setparam: 0,
  sched_setscheduler: 0,
  sched_setattr: 0,
  sched_setaffinity: 0,
};
/** Landlock has no rule for them: the helper beside this file makes them for files that may be written. */
const BROKERED = `
  chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat utime utimes futimesat utimensat inotify_add_watch`
  .trim()
  .split(/\s+/);

/** Their arguments are behind pointers, which a filter cannot read. Programs fall back to the older calls. */
const UNREADABLE = ["clone3", "openat2"];

const NEW_NAMESPACES = 0x7e020080;
const SET_ID_BITS = 0o6000;
const CREATES_FILE = 0o100 | 0o20000000;
/** Unix, IPv4, IPv6 and netlink. A network namespace does not confine others, such as vsock. */
const SOCKET_FAMILIES = [1, 2, 10, 16];
/** Typing into a terminal, and flags, encryption or verity of files. */
const REFUSED_REQUESTS = [0x5412, 0x541c, 0x40086602, 0x401c5820, 0x40806685, 0x800c6613];
const PRIORITY_OF_USER = 2;
const PLAIN_PERSONALITIES = [0, 0xffffffff];

/** The argument that holds a file's mode, and the one with the flags that decide whether the mode counts. */
const MODE_ARGUMENTS: Record<string, { mode: number; flags?: number }> = {
  chmod: { mode: 1 },
  fchmod: { mode: 1 },
  fchmodat: { mode: 2 },
  fchmodat2: { mode: 2 },
  creat: { mode: 1 },
  mknod: { mode: 1 },
  mknodat: { mode: 2 },
  open: { mode: 2, flags: 1 },
  openat: { mode: 3, flags: 2 },
};

/**
 * Returns the seccomp filter for commands in the kernel's binary form, or undefined on other architectures than x64 and
 * arm64. Without `namespaces` of its own a command gets no sockets and no memory that it could share with others, and a
 * broker makes its changes to the owners, permissions and times of files.
 */
export function seccompFilter(
  architecture: string = process.arch,
  { namespaces = true }: { namespaces?: boolean } = {},
): Buffer | undefined {
  const table = syscallTable(architecture);
  return table && assemble(filterFor(table, namespaces));
}

/** Returns the names of the calls that the broker gets, by number. */
export function brokeredCalls(architecture: string = process.arch): Record<number, string> {
  const numbers = syscallTable(architecture)?.numbers ?? {};
  const entries = BROKERED.map((name) => [numbers[name], name] as const);
  return Object.fromEntries(entries.filter(([number]) => number !== undefined));
}

function filterFor(table: SyscallTable, namespaces: boolean): Instruction[] {
  const number = (name: string) => table.numbers[name];
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE_AT],
    [JUMP_EQUAL, 1, 0, table.audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER_AT],
  ];
  if (table.foreignFrom !== undefined) {
    program.push([JUMP_AT_LEAST, 0, 1, table.foreignFrom], [RETURN, 0, 0, KILL_PROCESS]);
  }
  const brokered = new Set(namespaces ? [] : BROKERED);
  /** Adds checks for one call. A check either returns a verdict or falls through to what the call gets otherwise. */
  function on(name: string, checks: Instruction[]): void {
    const wanted = number(name);
    if (wanted === undefined) return;
    const otherwise = brokered.delete(name) ? ASK_BROKER : ALLOW;
    program.push([JUMP_EQUAL, 0, checks.length + 1, wanted], ...checks, [RETURN, 0, 0, otherwise]);
  }
  const refused = (names: readonly string[], verdict: number) => {
    for (const name of names) on(name, [[RETURN, 0, 0, verdict]]);
  };
  refused(REFUSED, EPERM);
  refused(UNREADABLE, ENOSYS);
  if (!namespaces) {
    refused(SHARED, EPERM);
    refused(EXTENDED_ATTRIBUTES, EOPNOTSUPP);
    for (const [name, argument] of Object.entries(PROCESS_ARGUMENTS))
      on(name, allowOnly(argument, [0], EPERM));
    // All processes of a user, which may be ours too, have no number.
    on("setpriority", [
      [LOAD, 0, 0, argumentAt(0)],
      [JUMP_EQUAL, 0, 1, PRIORITY_OF_USER],
      [RETURN, 0, 0, EPERM],
      ...allowOnly(1, [0], EPERM),
    ]);
  }
  on("clone", refuseBits(0, NEW_NAMESPACES));
  on("ioctl", [
    [LOAD, 0, 0, argumentAt(1)],
    ...REFUSED_REQUESTS.flatMap((request): Instruction[] => [
      [JUMP_EQUAL, 0, 1, request],
      [RETURN, 0, 0, EPERM],
    ]),
  ]);
  on("socket", allowOnly(0, namespaces ? SOCKET_FAMILIES : [], EAFNOSUPPORT));
  on("personality", allowOnly(0, PLAIN_PERSONALITIES, EPERM));
  // A set-user-id file would run with its owner's rights on the host, outside the sandbox.
  for (const [name, { mode, flags }] of Object.entries(MODE_ARGUMENTS)) {
    const refusal = refuseBits(mode, SET_ID_BITS);
    const unlessCreating: Instruction[] =
      flags === undefined
        ? []
        : [
            [LOAD, 0, 0, argumentAt(flags)],
            [JUMP_ANY_BIT, 0, refusal.length, CREATES_FILE],
          ];
    on(name, [...unlessCreating, ...refusal]);
  }
  for (const name of brokered) on(name, []);
  program.push([RETURN, 0, 0, ALLOW]);
  return program;
}

function refuseBits(argument: number, bits: number): Instruction[] {
  return [
    [LOAD, 0, 0, argumentAt(argument)],
    [JUMP_ANY_BIT, 0, 1, bits],
    [RETURN, 0, 0, EPERM],
  ];
}

function allowOnly(argument: number, values: readonly number[], refusal: number): Instruction[] {
  return [
    [LOAD, 0, 0, argumentAt(argument)],
    ...values.flatMap((value): Instruction[] => [
      [JUMP_EQUAL, 0, 1, value],
      [RETURN, 0, 0, ALLOW],
    ]),
    [RETURN, 0, 0, refusal],
  ];
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, whenTrue, whenFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  });
  return bytes;
}
