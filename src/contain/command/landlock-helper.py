"""Starts a command under Landlock, which Node has no access to.

The command runs in a child without privileges, sockets, refused system calls and files outside the workspace. There is no
process namespace, so this program waits and kills whatever the command leaves running. Landlock has no rule for
permissions, owners and times of files, nor for watching them: a second child, the broker, makes these calls for the
command, on files of the workspace alone. Arguments: settings as JSON, then the command.
"""

import base64, ctypes, errno, fcntl, json, os, resource, signal, socket, struct, sys

settings, words = json.loads(sys.argv[1]), sys.argv[2:]
libc = ctypes.CDLL(None, use_errno=True)
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
READ, FILE, EVERYTHING = 0b1101, 0b1100000000000111, 0xFFFF
NEW_LISTENER, WAIT_KILLABLE = 0b1000, 0b100000


def call(function, *arguments):
    result = function(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def allow(ruleset, path, access):
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):
        access &= FILE
    call(libc.syscall, ADD_RULE, ruleset, 1, struct.pack("=Qi", access, descriptor), 0)
    os.close(descriptor)


def limit_processes(uid):
    # The kernel counts all threads of the user, so add those that already run.
    running = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat("/proc/" + pid).st_uid == uid:
                running += len(os.listdir("/proc/%s/task" % pid))
        except OSError:
            pass  # It has ended meanwhile.
    limit = running + settings["processes"]
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    if hard == resource.RLIM_INFINITY or hard > limit:
        resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))


def drop_privileges():
    if os.getuid() == 0:
        for capability in range(int(open("/proc/sys/kernel/cap_last_cap").read()) + 1):
            call(libc.prctl, 24, capability, 0, 0, 0)
    call(libc.capset, struct.pack("Ii", 0x20080522, 0), bytes(24))
    call(libc.prctl, 38, 1, 0, 0, 0)


def confine():
    if call(libc.syscall, CREATE_RULESET, None, 0, 1) < 6:
        raise OSError("Landlock is too old: Linux 6.12 is needed")
    ruleset = call(libc.syscall, CREATE_RULESET, struct.pack("QQQ", EVERYTHING, 3, 3), 24, 0)
    for path in settings["read"]:
        allow(ruleset, path, READ)
    for path in settings["write"] + ["/proc/self/fd/1", "/proc/self/fd/2"]:
        allow(ruleset, path, EVERYTHING)
    limit_processes(os.getuid())
    drop_privileges()
    call(libc.syscall, RESTRICT_SELF, ruleset, 0)
    program = base64.b64decode(settings["filter"])
    code = ctypes.create_string_buffer(program, len(program))
    prepared = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    return call(libc.syscall, settings["seccomp"], 1, NEW_LISTENER | WAIT_KILLABLE, prepared)


def within(descriptor, folders):
    path = os.readlink("/proc/self/fd/%d" % descriptor)
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


class Asked:
    """One call that the command wants to make."""

    def __init__(self, pid, arguments):
        self.pid, self.arguments, self.opened = pid, arguments, []
        self.memory = self.keep(os.open("/proc/%d/mem" % pid, os.O_RDONLY))

    def keep(self, descriptor):
        self.opened.append(descriptor)
        return descriptor

    def close(self):
        for descriptor in self.opened:
            os.close(descriptor)

    def read(self, argument, size):
        address = self.arguments[argument]
        return os.pread(self.memory, size, address) if address else None

    def number(self, argument):
        return ctypes.c_int(self.arguments[argument]).value

    def descriptor(self, number):
        place = "cwd" if number == -100 else "fd/%d" % number
        return self.keep(os.open("/proc/%d/%s" % (self.pid, place), os.O_PATH))

    def file(self, folder, path, follow=True, may_be_empty=False):
        """Opens what a path means for the command, and looks where it is only then: nothing can be swapped in between."""
        name = (self.read(path, 4096) or b"").split(b"\0")[0].decode("utf8", "surrogateescape")
        if name == "":
            if may_be_empty:
                return self.descriptor(folder)
            raise OSError(errno.ENOENT, "")
        for alias, own in [("/proc/self/", ""), ("/proc/thread-self/", ""), ("/dev/fd/", "fd/")]:
            if name.startswith(alias):
                name = "/proc/%d/%s%s" % (self.pid, own, name[len(alias) :])
        base = None if name.startswith("/") else self.descriptor(folder)
        flags = os.O_PATH | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
        return self.keep(os.open(name, flags, dir_fd=base))


def change(asked, name):
    """Makes a call for the command. Returns its result."""
    numbers, at = asked.number, -100
    flags = {"fchmodat2": 3, "fchownat": 4, "utimensat": 3}
    options = numbers(flags[name]) if name in flags else 0x100 if name == "lchown" else 0
    follow, empty = not options & 0x100, bool(options & 0x1000)
    if name == "inotify_add_watch":
        target, mask = asked.file(at, 1, not asked.arguments[2] & 0x2000000), asked.arguments[2]
        if not within(target, settings["own"] + settings["read"]):
            raise PermissionError(errno.EACCES, "")
        process = asked.keep(call(libc.syscall, 434, asked.pid, os.O_EXCL))
        watcher = asked.keep(call(libc.syscall, 438, process, numbers(0), 0))
        return call(libc.inotify_add_watch, watcher, b"/proc/self/fd/%d" % target, mask & ~0x2000000)
    if name in ["fchmod", "fchown"]:
        target, rest = asked.descriptor(numbers(0)), 1
    elif name in ["chmod", "chown", "lchown", "utime", "utimes"]:
        target, rest = asked.file(at, 0, follow), 1
    else:
        empty = empty or (name in ["utimensat", "futimesat"] and not asked.arguments[1])
        target, rest = asked.file(numbers(0), 1, follow, empty), 2
    if not within(target, settings["own"]):
        raise PermissionError(errno.EPERM, "")
    if "chmod" in name:
        return call(libc.chmod, b"/proc/self/fd/%d" % target, asked.arguments[rest] & 0o1777)
    if "chown" in name:
        return call(libc.fchownat, target, b"", numbers(rest), numbers(rest + 1), 0x1000)
    times = asked.read(rest, 16 if name == "utime" else 32)
    if times is not None and name == "utime":
        times = struct.pack("4q", *sum([(seconds, 0) for seconds in struct.unpack("2q", times)], ()))
    elif times is not None and name != "utimensat":
        parts = struct.unpack("4q", times)
        times = struct.pack("4q", parts[0], parts[1] * 1000, parts[2], parts[3] * 1000)
    return call(libc.utimensat, target, b"", times, 0x1000)


def answer(listener):
    request = bytearray(80)
    try:
        fcntl.ioctl(listener, 0xC0502100, request)
    except OSError as error:
        if error.errno in [errno.ENOENT, errno.EINTR]:
            return  # The process that asked is gone.
        raise
    id, pid, _, number, _, _, *arguments = struct.unpack("QIIiIQ6Q", request)
    result, problem, asked = 0, 0, None
    try:
        asked = Asked(pid, arguments)
        # From here on, the number is known to be that of the process that asked.
        fcntl.ioctl(listener, 0x40082102, struct.pack("Q", id))
        result = change(asked, settings["brokered"][str(number)])
    except Exception as error:
        problem = getattr(error, "errno", None) or errno.EFAULT
    finally:
        if asked:
            asked.close()
    try:
        fcntl.ioctl(listener, 0xC0182101, struct.pack("QqiI", id, result, -problem, 0))
    except OSError:
        pass  # The process that asked is gone.


def serve_as_broker(channel):
    call(libc.prctl, 1, signal.SIGKILL, 0, 0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    drop_privileges()
    _, (listener,), _, _ = socket.recv_fds(channel, 1, 1)
    channel.close()
    while True:
        answer(listener)


def below(pid):
    found = []
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            children = open("/proc/%d/task/%s/children" % (pid, task)).read().split()
            for child in map(int, children):
                found += [child] + below(child)
    except OSError:
        pass  # It has ended meanwhile.
    return found


def end_all():
    for _ in range(1000):
        alive = below(os.getpid())
        if not alive:
            return
        for pid in alive:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def stopped(*_):
    end_all()
    os._exit(143)


signal.signal(signal.SIGTERM, stopped)
call(libc.prctl, 36, 1, 0, 0, 0)
call(libc.prctl, 1, signal.SIGTERM, 0, 0, 0)
if os.getppid() != settings["parent"]:
    os._exit(143)
asking, answering = socket.socketpair()
os.set_inheritable(int(settings["status"]), False)
if os.fork() == 0:
    try:
        asking.close()
        os.close(int(settings["status"]))
        serve_as_broker(answering)
    finally:
        os._exit(1)
answering.close()
reader, writer = os.pipe()
command = os.fork()
if command == 0:
    try:
        for usual in [signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ]:
            signal.signal(usual, signal.SIG_DFL)
        os.setsid()
        listener = confine()
        socket.send_fds(asking, [b"x"], [listener])
        os.execve(words[0], words, settings["env"])
    except BaseException as error:
        os.write(writer, str(error).encode() or b"it failed")
        os._exit(126)
asking.close()
os.close(writer)
problem = os.read(reader, 1000)
if problem:
    sys.stderr.write(problem.decode() + "\n")
else:
    os.write(int(settings["status"]), b'{"exit-code": "follows"}')
status = 0
while True:
    pid, status = os.waitpid(-1, 0)
    if pid == command:
        break
end_all()
code = os.waitstatus_to_exitcode(status)
sys.stderr.flush()
os._exit(128 - code if code < 0 else code)
