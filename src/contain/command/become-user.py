"""Becomes another user without any privilege and starts a program. Only root runs it.

Folders that belong to root are first mapped, in its own mount namespace: for the program they belong to its user,
while on disk everything stays, and becomes, root's. If a folder above them is closed to the user, an empty one with
nothing but these folders takes its place. Arguments: settings as JSON, then the program.
"""

import ctypes, json, os, signal, struct, sys

settings, words = json.loads(sys.argv[1]), sys.argv[2:]
libc = ctypes.CDLL(None, use_errno=True)
uid, gid = settings["uid"], settings["gid"]
NEW_USER, NEW_MOUNTS, PRIVATE, CLOSE_ON_EXEC = 0x10000000, 0x20000, 0x44000, 0o2000000
HERE, EMPTY_PATH, RECURSIVE = -100, 0x1000, 0x8000
READ_ONLY, NO_SET_ID_NO_DEVICES, MAPPED = 1, 6, 0x100000


def call(function, *arguments):
    result = function(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def exchange(number):
    """A map of ids in which root and another user change places."""
    last = 2**32 - 2
    parts = [(0, number, 1), (number, 0, 1), (1, 1, number - 1), (number + 1, number + 1, last - number)]
    return "".join("%d %d %d\n" % part for part in parts)


def mapping():
    """Returns a user namespace that stands for the map. Nothing runs in it."""
    made, maker = os.pipe()
    waits, goes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            call(libc.unshare, NEW_USER)
            os.write(maker, b"x")
            os.read(waits, 1)
        finally:
            os._exit(0)
    os.close(maker)
    if os.read(made, 1) != b"x":
        raise OSError("user namespaces cannot be made")
    for kind, number in [("uid", uid), ("gid", gid)]:
        with open("/proc/%d/%s_map" % (child, kind), "w") as file:
            file.write(exchange(number))
    namespace = os.open("/proc/%d/ns/user" % child, os.O_RDONLY)
    os.write(goes, b"x")
    os.waitpid(child, 0)
    return namespace


def closed_above(path):
    """Returns the highest folder above a path that the user cannot enter."""
    parts = path.split("/")[1:-1]
    for count in range(1, len(parts) + 1):
        folder = "/" + "/".join(parts[:count])
        found = os.stat(folder)
        shift = 6 if found.st_uid == uid else 3 if found.st_gid == gid else 0
        if not found.st_mode >> shift & 1:
            return folder
    return None


def attach(tree, path, is_folder):
    if not os.path.lexists(path):
        os.makedirs(path if is_folder else os.path.dirname(path), 0o755, exist_ok=True)
        if not is_folder:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o444))
    call(libc.syscall, 429, tree, b"", HERE, os.fsencode(path), 4)


def map_folders():
    namespace = mapping()
    call(libc.unshare, NEW_MOUNTS)
    call(libc.mount, b"none", b"/", None, PRIVATE, None)
    trees, covers = [], []
    for path, read_only in settings["folders"]:
        if not os.path.exists(path):
            continue
        tree = call(libc.syscall, 428, HERE, os.fsencode(path), 1 | CLOSE_ON_EXEC | RECURSIVE)
        attributes = MAPPED | NO_SET_ID_NO_DEVICES | (READ_ONLY if read_only else 0)
        change = struct.pack("QQQQ", attributes, 0, 0, namespace)
        call(libc.syscall, 442, tree, b"", EMPTY_PATH | RECURSIVE, change, len(change))
        trees.append((tree, path, os.path.isdir(path)))
        cover = closed_above(path)
        if cover and cover not in covers:
            covers.append(cover)
    os.umask(0o022)
    for cover in covers:
        call(libc.mount, b"none", os.fsencode(cover), b"tmpfs", 6, b"mode=711,size=1m")
    for tree in trees:
        attach(*tree)
    # A folder that is mounted on itself cannot be renamed, and so nothing in it replaced.
    for path, read_only in settings["pinned"]:
        tree = call(libc.syscall, 428, HERE, os.fsencode(path), 1 | CLOSE_ON_EXEC | RECURSIVE)
        if read_only:
            change = struct.pack("QQQQ", READ_ONLY, 0, 0, 0)
            call(libc.syscall, 442, tree, b"", EMPTY_PATH | RECURSIVE, change, len(change))
        attach(tree, path, True)


def drop_privileges():
    for capability in range(int(open("/proc/sys/kernel/cap_last_cap").read()) + 1):
        call(libc.prctl, 24, capability, 0, 0, 0)
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


try:
    os.umask(0o022)
    if settings["folders"]:
        map_folders()
    drop_privileges()
    os.chdir(settings["cwd"])
    for usual in [signal.SIGPIPE, signal.SIGXFSZ]:
        signal.signal(usual, signal.SIG_DFL)
    os.execv(words[0], words)
except OSError as error:
    sys.stderr.write("the command's user could not be set up: %s\n" % error)
    os._exit(126)
