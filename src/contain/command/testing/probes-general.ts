import { join } from "node:path";
import { type Probe, probe, text } from "./probe.ts";

/** The network, the system, the kernel, and ways to more rights. */
export const GENERAL_PROBES: readonly Probe[] = [
  probe(
    "TCP to the host",
    true,
    ({ tcpPort }) => `socket.create_connection(("127.0.0.1", ${tcpPort}), 3); got()`,
  ),
  probe(
    "UDP to the host",
    true,
    ({ udpPort }) =>
      `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)
s.connect(("127.0.0.1", ${udpPort})); s.send(b"x"); s.recv(1); got()`,
  ),
  probe(
    "unix socket of the host",
    true,
    ({ unixSocket }) => `socket.socket(socket.AF_UNIX).connect(${text(unixSocket)}); got()`,
  ),
  probe(
    "abstract socket of the host",
    true,
    ({ abstractSocket }) => `socket.socket(socket.AF_UNIX).connect("\\0" + ${text(abstractSocket)}); got()`,
  ),
  probe("socket to the hypervisor", false, () => "socket.socket(40, socket.SOCK_STREAM); got()"),
  probe("kernel crypto socket", false, () => "socket.socket(38, socket.SOCK_SEQPACKET); got()"),
  probe("read a secret file", true, ({ secretFile }) => `open(${text(secretFile)}).read(); got()`),
  probe(
    "read a secret through /proc",
    true,
    ({ secretFile }) => `
for base in ["/proc/1/root", "/proc/1/cwd", "/proc/self/root", "/proc/%d/root" % os.getppid(), "/proc/self/cwd/../.."]:
    try: open(base + ${text(secretFile)}).read(); got()
    except OSError: pass`,
  ),
  probe(
    "secret of the environment",
    true,
    ({ secret, sleeper }) => `
for pid in [p for p in os.listdir("/proc") if p.isdigit()] + ["self", ${text(String(sleeper.pid))}]:
    try:
        if ${text(secret)} in open("/proc/%s/environ" % pid).read(): got()
    except OSError: pass`,
  ),
  probe("password hashes", false, () => 'open("/etc/shadow").read(); got()'),
  probe(
    "write outside",
    true,
    ({ outside }) => `open(${text(join(outside, "written"))}, "w").write("x"); got()`,
  ),
  probe(
    "write to the system",
    false,
    () => `
for path in ["/x", "/usr/x", "/etc/x", "/dev/x", "/var/x", "/proc/self/comm", "/etc/passwd", "/bin/sh"]:
    try: open(path, "a"); got()
    except OSError: pass`,
  ),
  probe(
    "see host processes",
    true,
    ({ sleeper }) => `
for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
    try:
        if ${text(sleeper.mark)} in open("/proc/%s/cmdline" % pid).read(): got()
    except OSError: pass`,
  ),
  probe("signal a host process", true, ({ sleeper }) => `os.kill(${sleeper.pid}, 0); got()`),
  probe("allocate 1.28 GB", false, () => "b = bytearray(1280 * 1024 * 1024); got()"),
  probe(
    "fork 300 processes",
    true,
    () => `
children = []
try:
    for i in range(300):
        child = os.fork()
        if child == 0: time.sleep(300); os._exit(0)
        children.append(child)
    got()
finally:
    for child in children: os.kill(child, 9)`,
  ),
  probe(
    "write a 60 MB file",
    false,
    () => `
with open("large", "wb") as f:
    for i in range(60): f.write(bytes(1024 * 1024))
got()`,
  ),
  probe(
    "fill memory through temporary folders",
    false,
    () => `
for folder in ["/tmp", "/dev/shm"]:
    written = 0
    try:
        for n in range(10):
            with open("%s/fill-%d" % (folder, n), "wb") as f:
                for i in range(20): f.write(bytes(1024 * 1024)); written += 1
        got()
    except OSError: pass`,
  ),
  probe("nested user namespace", true, () => 'subprocess.run(["unshare", "-U", "true"], check=True); got()'),
  probe(
    "nested user namespace by clone",
    true,
    () => `
child = syscall(56, 220, 0x10000000 | 17, 0, 0, 0, 0)
if child == 0: os._exit(0)
if child > 0: got()`,
  ),
  probe(
    "enter another namespace",
    false,
    () => 'fd = os.open("/proc/self/ns/net", 0)\nif syscall(308, 268, fd, 0) == 0: got()',
  ),
  probe(
    "ptrace",
    true,
    () => `
child = os.fork()
if child == 0: time.sleep(300); os._exit(0)
try:
    if syscall(101, 117, 16, child, 0, 0) == 0: got()
finally: os.kill(child, 9)`,
  ),
  probe(
    "read another process's memory",
    true,
    () => `
child = os.fork()
if child == 0: time.sleep(300); os._exit(0)
class Vector(ctypes.Structure): _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
target = ctypes.create_string_buffer(8); here = ctypes.create_string_buffer(8)
remote = Vector(ctypes.addressof(target), 8); local = Vector(ctypes.addressof(here), 8)
try:
    if syscall(310, 270, child, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) == 8: got()
finally: os.kill(child, 9)`,
  ),
  probe(
    "mount",
    false,
    () => 'os.makedirs("m", exist_ok=True)\nif syscall(165, 40, b"x", b"m", b"tmpfs", 0, 0) == 0: got()',
  ),
  probe("open a file system", false, () => 'if syscall(430, 430, b"tmpfs", 0) >= 0: got()'),
  probe("unmount what hides things", false, () => 'if syscall(166, 39, b"/tmp", 2) == 0: got()'),
  probe("change the root", false, () => 'os.chroot("."); got()'),
  probe(
    "kernel settings in /proc",
    false,
    () => `
for path in ["/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/self/uid_map",
             "/proc/mtrr", "/proc/self/oom_score_adj", "/proc/1/mem", "/proc/self/mem"]:
    try: os.open(path, os.O_WRONLY); got()
    except OSError: pass`,
  ),
  probe(
    "kernel messages and memory",
    false,
    () => `
for path in ["/dev/kmsg", "/dev/mem", "/proc/kmsg", "/proc/kcore", "/dev/vda", "/dev/sda", "/dev/fuse", "/dev/kvm"]:
    try: os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 1); got()
    except OSError: pass`,
  ),
  probe("sysfs and control groups", true, () => 'if os.listdir("/sys"): got()'),
  probe("key rings", false, () => "if syscall(250, 219, 0, -3, 1, 0, 0) >= 0: got()"),
  probe(
    "load kernel programs (bpf)",
    false,
    () =>
      "b = ctypes.create_string_buffer(128)\nif syscall(321, 280, 0, b, 128) >= 0 or ctypes.get_errno() != errno.EPERM: got()",
  ),
  probe(
    "performance counters",
    false,
    () =>
      "b = ctypes.create_string_buffer(128)\nif syscall(298, 241, b, 0, -1, -1, 0) >= 0 or ctypes.get_errno() != errno.EPERM: got()",
  ),
  probe("userfaultfd", false, () => "if syscall(323, 282, 1) >= 0: got()"),
  probe(
    "io_uring",
    false,
    () =>
      "b = ctypes.create_string_buffer(256)\nif syscall(425, 425, 4, b) >= 0 or ctypes.get_errno() != errno.EPERM: got()",
  ),
  probe("personality", true, () => "if syscall(135, 92, 0x0400000) >= 0: got()"),
  probe(
    "system calls of another architecture",
    false,
    () => `
if os.uname().machine != "x86_64": sys.exit(0)
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))(); got()`,
  ),
  probe(
    "type into a terminal (TIOCSTI)",
    false,
    () => `
import fcntl
master, slave = os.openpty()
os.setsid() if os.getpid() != os.getsid(0) else None
fcntl.ioctl(slave, 0x540e, 0)
fcntl.ioctl(slave, 0x5412, b"x"); got()`,
  ),
  probe("controlling terminal of the host", false, () => 'os.open("/dev/tty", os.O_RDWR); got()'),
  probe(
    "make a set-user-id program",
    true,
    () => `
def made(path):
    if os.path.exists(path) and os.stat(path).st_mode & 0o6000: got()
def attempt(path, make):
    try: make(path)
    except OSError: pass
    made(path)
open("a", "w").close()
attempt("a", lambda p: os.chmod(p, 0o4755))
attempt("a", lambda p: os.fchmod(os.open(p, os.O_RDWR), 0o2755))
attempt("b", lambda p: os.open(p, os.O_CREAT | os.O_WRONLY, 0o4755))
attempt("c", lambda p: os.mknod(p, 0o104755))
attempt("a", lambda p: syscall(452, 452, -100, p.encode(), 0o4755, 0))`,
  ),
  probe(
    "gain privileges by a set-user-id program",
    true,
    () => 'if "NoNewPrivs:\\t1" not in open("/proc/self/status").read(): got()',
  ),
  probe(
    "capabilities",
    false,
    () => 'if "CapBnd:\\t0000000000000000" not in open("/proc/self/status").read(): got()',
  ),
  probe("make a device", false, () => 'os.mknod("device", 0o20666, os.makedev(1, 3)); got()'),
  probe("raise a limit", false, () => "resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1)); got()"),
  probe(
    "inherited descriptors",
    false,
    () => `
for fd in range(3, 1024):
    try: target = os.readlink("/proc/self/fd/%d" % fd)
    except OSError: continue
    if target != "/dev/null" and not target.startswith("/proc/"): got()`,
  ),
];
