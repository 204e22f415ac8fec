/** The numbers of the system calls that the filter names, for one architecture. */
export interface SyscallTable {
  /** The kernel's identifier of the architecture (AUDIT_ARCH_…). */
  readonly audit: number;
  /** Numbers from here on belong to a second set of calls (x32). The filter refuses all of them. */
  readonly foreignFrom?: number;
  /** A call that is missing does not exist on this architecture. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** Calls from 424 on have the same number everywhere. */
const COMMON = `
  io_uring_setup 425, io_uring_enter 426, io_uring_register 427, open_tree 428, move_mount 429, fsopen 430,
  fsconfig 431, fsmount 432, fspick 433, clone3 435, openat2 437, pidfd_getfd 438, mount_setattr 442,
  quotactl_fd 443, memfd_secret 447, fchmodat2 452, setxattrat 463, removexattrat 466, open_tree_attr 467,
  file_setattr 469`;

const X64: SyscallTable = {
  audit: 0xc000003e,
  foreignFrom: 0x40000000,
  numbers: parseNumbers(`${COMMON},
    open 2, ioctl 16, shmget 29, shmat 30, shmctl 31, socket 41, clone 56, semget 64, semop 65, semctl 66,
    shmdt 67, msgget 68, msgsnd 69, msgrcv 70, msgctl 71, creat 85, chmod 90, fchmod 91, chown 92, fchown 93,
    lchown 94, ptrace 101, syslog 103, utime 132, mknod 133, uselib 134, personality 135, setpriority 141,
    sched_setparam 142, sched_setscheduler 144, vhangup 153, modify_ldt 154, pivot_root 155, _sysctl 156,
    adjtimex 159, chroot 161, acct 163, settimeofday 164, mount 165, umount2 166, swapon 167, swapoff 168,
    reboot 169, sethostname 170, setdomainname 171, iopl 172, ioperm 173, create_module 174, init_module 175,
    delete_module 176, quotactl 179, nfsservctl 180, setxattr 188, lsetxattr 189, fsetxattr 190,
    removexattr 197, lremovexattr 198, fremovexattr 199, sched_setaffinity 203, lookup_dcookie 212,
    semtimedop 220, clock_settime 227, utimes 235, mq_open 240, mq_unlink 241, kexec_load 246, add_key 248,
    request_key 249, keyctl 250, ioprio_set 251, inotify_add_watch 254, migrate_pages 256, openat 257,
    mknodat 259, fchownat 260, futimesat 261, fchmodat 268, unshare 272, move_pages 279, utimensat 280,
    perf_event_open 298, fanotify_init 300, prlimit64 302, name_to_handle_at 303, open_by_handle_at 304,
    clock_adjtime 305, setns 308, process_vm_readv 310, process_vm_writev 311, kcmp 312, finit_module 313,
    sched_setattr 314, kexec_file_load 320, bpf 321, userfaultfd 323`),
};

const ARM64: SyscallTable = {
  audit: 0xc00000b7,
  numbers: parseNumbers(`${COMMON},
    setxattr 5, lsetxattr 6, fsetxattr 7, removexattr 14, lremovexattr 15, fremovexattr 16, lookup_dcookie 18,
    inotify_add_watch 27, ioctl 29, ioprio_set 30, mknodat 33, umount2 39, mount 40, pivot_root 41,
    nfsservctl 42, chroot 51, fchmod 52, fchmodat 53, fchownat 54, fchown 55, openat 56, vhangup 58,
    quotactl 60, utimensat 88, acct 89, personality 92, unshare 97, kexec_load 104, init_module 105,
    delete_module 106, clock_settime 112, syslog 116, ptrace 117, sched_setparam 118, sched_setscheduler 119,
    sched_setaffinity 122, setpriority 140, reboot 142, sethostname 161, setdomainname 162, settimeofday 170,
    adjtimex 171, mq_open 180, mq_unlink 181, msgget 186, msgctl 187, msgrcv 188, msgsnd 189, semget 190,
    semctl 191, semtimedop 192, semop 193, shmget 194, shmctl 195, shmat 196, shmdt 197, socket 198,
    add_key 217, request_key 218, keyctl 219, clone 220, swapon 224, swapoff 225, migrate_pages 238,
    move_pages 239, perf_event_open 241, prlimit64 261, fanotify_init 262, name_to_handle_at 264,
    open_by_handle_at 265, clock_adjtime 266, setns 268, process_vm_readv 270, process_vm_writev 271,
    kcmp 272, finit_module 273, sched_setattr 274, bpf 280, userfaultfd 282, kexec_file_load 294`),
};

function parseNumbers(text: string): Record<string, number> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+) (\d+)/g)].map(([, name, number]) => [name, Number(number)]),
  );
}

/** The table for an architecture, by the name that Node gives it. */
export function syscallTable(architecture: string): SyscallTable | undefined {
  if (architecture === "x64") return X64;
  return architecture === "arm64" ? ARM64 : undefined;
}
