import { readFileSync } from "node:fs";
import { processesWith } from "./host.ts";
import { type Probe, probe, text } from "./probe.ts";

const MARK = "tackle-probe-of-the-user-id";

const PLANTED_NICE = 7;
const USER_PRIORITY = `os.setpriority(os.PRIO_USER, 0, ${PLANTED_NICE}); time.sleep(1)`;

/** Other processes, what is shared with them, and who the command is. */
export const PROCESS_PROBES: readonly Probe[] = [
  probe("keep root's id", "root", () => "if 0 in os.getresuid() + os.getresgid(): got()"),
  probe("keep root's id, as the host sees it", "root", () => `print(${text(MARK)}); time.sleep(1)`, {
    seen: () => processesWith("probe.py").some((pid) => isRootCommand(pid)),
  }),
  probe("keep root's groups", "nobody", () => "if 0 in os.getgroups(): got()"),
  probe(
    "become root again",
    "root",
    () => "gets(lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]))",
  ),
  probe(
    "limits of a host process",
    true,
    ({ sleeper }) => `gets(lambda: resource.prlimit(${sleeper.pid}, resource.RLIMIT_NOFILE, (64, 64)))`,
  ),
  probe(
    "priority of a host process",
    true,
    ({ sleeper }) => `gets(lambda: os.setpriority(os.PRIO_PROCESS, ${sleeper.pid}, 19))`,
  ),
  probe("priority of all processes of its user", "nobody", () => USER_PRIORITY, {
    seen: ({ sleeper }) => niceOf(sleeper.pid) === PLANTED_NICE,
  }),
  probe(
    "processors of a host process",
    true,
    ({ sleeper }) => `gets(lambda: os.sched_setaffinity(${sleeper.pid}, {0}))`,
  ),
  probe(
    "disk priority of a host process",
    true,
    ({ sleeper }) => `if syscall(251, 30, 1, ${sleeper.pid}, (2 << 13) | 7) == 0: got()`,
  ),
  probe(
    "have a host process killed for memory",
    true,
    ({ sleeper }) => `gets(lambda: open("/proc/${sleeper.pid}/oom_score_adj", "w").write("900"))`,
  ),
  probe(
    "signal a host process by descriptor",
    true,
    ({ sleeper }) =>
      `import signal\ngets(lambda: signal.pidfd_send_signal(os.pidfd_open(${sleeper.pid}), 0))`,
  ),
  probe(
    "signal a group of host processes",
    true,
    ({ sleeper }) => `gets(lambda: os.killpg(os.getpgid(${sleeper.pid}), 0))`,
  ),
  probe(
    "signal the process that confines it",
    true,
    () => `
parent = os.getppid()
for pid in range(1, 40): gets(lambda: os.kill(parent - pid, 0) if parent - pid > 1 else -1)
gets(lambda: os.kill(${process.pid}, 0))`,
  ),
  probe(
    "take a descriptor of a host process",
    "root",
    ({ sleeper }) => `if syscall(438, 438, os.pidfd_open(${sleeper.pid}), 0, 0) >= 0: got()`,
  ),
  probe(
    "memory of a host process",
    "root",
    ({ sleeper }) => `gets(lambda: os.open("/proc/${sleeper.pid}/mem", os.O_RDWR))`,
  ),
  probe(
    "descriptors and folders of a host process",
    true,
    ({ sleeper }) =>
      `gets(*[lambda p=p: os.readlink("/proc/${sleeper.pid}/" + p) for p in ["cwd", "exe", "root", "fd/0"]])`,
  ),
  probe(
    "namespaces of a host process",
    "root",
    ({ sleeper }) =>
      `gets(lambda: -1 if syscall(308, 268, os.open("/proc/${sleeper.pid}/ns/mnt", 0), 0) else 0)`,
  ),
  probe(
    "shared memory of the host (System V)",
    true,
    ({ ipc }) =>
      `libc.shmat.restype = ctypes.c_void_p\nif libc.shmat(${ipc.memory}, None, 0o10000) not in [None, 2**64 - 1]: got()`,
  ),
  probe(
    "semaphores of the host (System V)",
    true,
    ({ ipc }) => `if libc.semctl(${ipc.semaphores}, 0, 12) >= 0: got()`,
  ),
  probe(
    "message queue of the host (System V)",
    true,
    ({ ipc }) =>
      `b = ctypes.create_string_buffer(64)\nb[0] = 1\nif libc.msgsnd(${ipc.queue}, b, 8, 0o4000) == 0: got()`,
  ),
  probe(
    "message queue of the host (POSIX)",
    true,
    ({ ipc }) => `if libc.mq_open(${text(ipc.named)}.encode(), os.O_RDWR) >= 0: got()`,
  ),
  probe(
    "POSIX shared memory of the host",
    true,
    ({ ipc }) => `gets(lambda: os.open("/dev/shm" + ${text(ipc.named)}, os.O_RDWR))`,
  ),
  probe(
    "nested user namespace by a newer call",
    true,
    () => `
arguments = (ctypes.c_uint64 * 8)(0x10000000, 0, 0, 0, 17, 0, 0, 0)
child = syscall(435, 435, ctypes.byref(arguments), 64)
if child == 0: os._exit(0)
if child > 0: got()`,
  ),
  probe(
    "open a file by its handle",
    "nobody",
    () => `
handle = ctypes.create_string_buffer(136); ctypes.memmove(handle, (128).to_bytes(4, "little"), 4)
mount = ctypes.c_int()
if syscall(303, 264, -100, b"/", handle, ctypes.byref(mount), 0) == 0: got()`,
  ),
  probe("watch a whole file system (fanotify)", "nobody", () => "if syscall(300, 262, 0x200, 0) >= 0: got()"),
  probe(
    "messages of the kernel",
    "nobody",
    () => "b = ctypes.create_string_buffer(512)\nif syscall(103, 116, 3, b, 512) > 0: got()",
  ),
  probe("name of the machine", "root", () => "gets(lambda: socket.sethostname(socket.gethostname()))"),
  probe(
    "time of the machine",
    "nobody",
    () => "gets(lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))",
  ),
  probe(
    "raw packets",
    "root",
    () => "gets(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1), lambda: socket.socket(17, 3))",
  ),
  probe("leave a core dump", "nobody", () => "if resource.getrlimit(resource.RLIMIT_CORE)[0] != 0: got()"),
];

/** Whether a process is the command itself and runs as root. */
function isRootCommand(pid: number): boolean {
  try {
    const isPython = /^Name:\s+python/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return (
      isPython && words[1] === "probe.py" && /^Uid:\s+0\b/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
    );
  } catch {
    return false; // It has ended meanwhile.
  }
}

function niceOf(pid: number): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  return Number(fields.split(" ")[16]);
}
