import { join } from "node:path";
import type { ProbedHost } from "./host.ts";
import { type Probe, probe, text } from "./probe.ts";

/** Names the secret key of our data directory, and that directory, in Python. */
const names = ({ keyFile, dataDir, outside }: ProbedHost) =>
  `key, data, outside = ${text(keyFile)}, ${text(dataDir)}, ${text(outside)}\n`;

/** A probe with the names at hand. */
const file = (name: string, code: string, control: Parameters<typeof probe>[1] = true, more = {}): Probe =>
  probe(name, control, (host) => names(host) + code, more);

/** Files outside of the workspace, first of all the key of our data directory. */
export const FILE_PROBES: readonly Probe[] = [
  file("read the secret key", "gets(lambda: open(key).read())"),
  file("chmod the secret key", "gets(lambda: os.chmod(key, 0o666))"),
  file(
    "chmod the secret key by a newer call",
    "if syscall(452, 452, -100, key.encode(), 0o666, 0) == 0: got()",
  ),
  file(
    "chmod the secret key from its own folder",
    "gets(lambda: os.chdir(data) or os.chmod('key', 0o666), lambda: os.chmod('key', 0o666, dir_fd=os.open(data, os.O_PATH)))",
  ),
  file(
    "chmod the secret key by an open descriptor",
    "gets(lambda: os.chmod('/proc/self/fd/%d' % os.open(key, os.O_PATH), 0o666), lambda: os.fchmod(os.open(key, os.O_RDONLY), 0o666))",
  ),
  file(
    "chmod the secret key through a link",
    "os.symlink(key, 'link'); os.symlink(data, 'folder')\ngets(lambda: os.chmod('link', 0o666), lambda: os.chmod('folder/key', 0o666))",
  ),
  file(
    "chmod the secret key while a link changes",
    `
open("mine", "w").close(); os.symlink("mine", "link")
child = os.fork()
if child == 0:
    for i in range(4000):
        os.symlink(key if i % 2 else "mine", "next"); os.rename("next", "link")
    os._exit(0)
before = None
try: before = os.stat(key).st_mode
except OSError: pass
for i in range(2000):
    try: os.chmod("link", 0o606)
    except OSError: pass
os.waitpid(child, 0)
try:
    if os.stat(key).st_mode != before: got()
except OSError: pass`,
    "nobody",
  ),
  file("open the data directory to others", "gets(lambda: os.chmod(data, 0o777))"),
  file("close a folder of the host", "gets(lambda: os.chmod(outside, 0))"),
  file("chown the secret key", "gets(lambda: os.chown(key, os.getuid(), os.getgid()))"),
  file(
    "chown through a link",
    "os.symlink(data, 'folder')\ngets(lambda: os.lchown('folder/key', os.getuid(), os.getgid()), lambda: os.chown('folder/key', -1, os.getgid(), dir_fd=os.open('.', 0)))",
  ),
  file("change the times of the secret key", "gets(lambda: os.utime(key, (1, 1)), lambda: os.utime(key))"),
  file(
    "change times from another folder",
    "gets(lambda: os.utime('key', (1, 1), dir_fd=os.open(data, os.O_PATH)), lambda: os.utime('/proc/self/fd/%d' % os.open(key, os.O_PATH), (1, 1)))",
  ),
  file("change the times of a folder", "gets(lambda: os.utime(outside, (1, 1)))"),
  file("set an extended attribute", "gets(lambda: os.setxattr(key, 'user.planted', b'1'))"),
  file("delete the secret key", "gets(lambda: os.unlink(key))"),
  file("empty the secret key", "gets(lambda: os.truncate(key, 0))"),
  file("move the secret key into the workspace", "gets(lambda: os.rename(key, 'key'))"),
  file("move a file out of the workspace", "gets(lambda: os.rename('probe.py', outside + '/moved'))"),
  file("link the secret key into the workspace", "gets(lambda: os.link(key, 'hard'))"),
  file("link a file out of the workspace", "gets(lambda: os.link('probe.py', outside + '/hard'))"),
  file("read through a link", "os.symlink(key, 'link')\ngets(lambda: open('link').read())"),
  file("write through a link", "os.symlink(key, 'link')\ngets(lambda: open('link', 'a').write('x'))"),
  file(
    "make folders, links, pipes and sockets outside",
    `gets(lambda: os.mkdir(outside + "/m"), lambda: os.symlink("x", outside + "/s"), lambda: os.mkfifo(outside + "/f"),
     lambda: socket.socket(socket.AF_UNIX).bind(outside + "/u"))`,
  ),
  file("list the data directory", "gets(lambda: os.listdir(data))"),
  file(
    "watch the data directory",
    "if libc.inotify_add_watch(libc.inotify_init1(0), data.encode(), 0xfff) > 0: got()",
  ),
  file(
    "watch a folder of the host",
    "if libc.inotify_add_watch(libc.inotify_init1(0), outside.encode(), 0xfff) > 0: got()",
  ),
  file(
    "change permissions in a folder that it may only read",
    "gets(lambda: os.chmod('probe.py', 0o777), lambda: os.utime('probe.py', (1, 1)), lambda: os.chmod('.', 0o700))",
    true,
    { options: { readOnly: true } },
  ),
  file(
    "facts about the machine",
    `
for path in ["/etc/machine-id", "/etc/hostname", "/etc/hosts", "/etc/ssh/sshd_config", "/var/lib/dpkg/status", "/proc/kcore", "/proc/kallsyms"]:
    if "sandbox" not in os.uname().nodename or not path.startswith("/proc/"): gets(lambda: open(path).read(1))`,
    "nobody",
  ),
  file(
    "folders of people",
    "gets(*[lambda p=p: os.listdir(p) for p in ['/root', '/home', '/mnt', '/media']])",
    "root",
  ),
  file(
    "what services keep",
    "gets(*[lambda p=p: os.listdir(p) for p in ['/run', '/var/log', '/var/lib', '/srv', '/boot']])",
  ),
  probe(
    "devices",
    "nobody",
    () =>
      `gets(*[lambda p=p: os.open("/dev/" + p, os.O_RDONLY) for p in ["mem", "kmsg", "port", "sda", "vda", "nvme0n1", "kvm", "fuse", "net/tun", "loop-control", "input/event0", "vhost-net"]])`,
  ),
  probe(
    "write to a file that was opened for the host",
    "nobody",
    ({ outside }) =>
      `for fd in range(3, 256): gets(lambda: os.open("planted", os.O_CREAT | os.O_WRONLY, dir_fd=fd) if os.readlink("/proc/self/fd/%d" % fd).startswith(${text(join(outside, ".."))}) else -1)`,
  ),
];
