"""Starts a command under Landlock, which Node has no access to.

The command runs in a child without privileges, sockets, refused system calls and files outside the workspace. There is no
process namespace, so this program waits and kills whatever the command leaves running. Arguments: settings as JSON, then
the command.
"""

import base64, ctypes, json, os, resource, signal, struct, sys

settings, words = json.loads(sys.argv[1]), sys.argv[2:]
libc = ctypes.CDLL(None, use_errno=True)
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
READ, FILE, EVERYTHING = 0b1101, 0b1100000000000111, 0xFFFF


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
    capabilities = range(int(open("/proc/sys/kernel/cap_last_cap").read()) + 1)
    if os.getuid() == 0:
        for capability in capabilities:
            call(libc.prctl, 24, capability, 0, 0, 0)
    if settings["user"]:
        os.setgroups([])
        os.setresgid(*[settings["user"]["gid"]] * 3)
        os.setresuid(*[settings["user"]["uid"]] * 3)
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
    limit_processes(settings["user"]["uid"] if settings["user"] else os.getuid())
    drop_privileges()
    call(libc.syscall, RESTRICT_SELF, ruleset, 0)
    program = base64.b64decode(settings["filter"])
    code = ctypes.create_string_buffer(program, len(program))
    prepared = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    call(libc.prctl, 22, 2, prepared, 0, 0)


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
reader, writer = os.pipe()
command = os.fork()
if command == 0:
    try:
        for usual in [signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ]:
            signal.signal(usual, signal.SIG_DFL)
        os.setsid()
        confine()
        os.close(int(settings["status"]))
        os.execve(words[0], words, settings["env"])
    except BaseException as error:
        os.write(writer, str(error).encode() or b"it failed")
        os._exit(126)
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
