import { describe, expect, test } from "vitest";
import { brokeredCalls, seccompFilter } from "./seccomp.ts";
import { syscallTable } from "./syscalls.ts";

const ALLOWED = 0x7fff0000;
const KILLED = 0x80000000;
const refused = (errno: number) => 0x00050000 | errno;

/** Runs the program on one system call, as the kernel would. */
function verdict(program: Buffer, audit: number, number: number, args: number[] = []): number {
  const data = new Map([
    [0, number],
    [4, audit],
    ...args.map((value, index): [number, number] => [16 + 8 * index, value >>> 0]),
  ]);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const code = program.readUInt16LE(at * 8);
    const value = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) accumulator = data.get(value) ?? 0;
    else if (code === 0x06) return value;
    else {
      const holds =
        code === 0x15
          ? accumulator === value
          : code === 0x35
            ? accumulator >= value
            : (accumulator & value) !== 0;
      at += program.readUInt8(at * 8 + (holds ? 2 : 3));
    }
  }
  throw new Error("the program has no end");
}

describe.each(["x64", "arm64"])("the system call filter on %s", (architecture) => {
  const table = syscallTable(architecture);
  const program = seccompFilter(architecture);
  if (!table || !program) throw new Error(`there is no filter for ${architecture}`);
  const call = (name: string, ...args: number[]) =>
    verdict(program, table.audit, table.numbers[name] ?? -1, args);

  test("lets ordinary calls through", () => {
    for (const number of [0, 1, 3, 5, 8, 9, 11, 12, 13, 14, 231, 233, 424, 439]) {
      expect(verdict(program, table.audit, number), String(number)).toBe(ALLOWED);
    }
    expect(call("openat", 0, 0, 0o101, 0o644)).toBe(ALLOWED);
    expect(call("openat", 0, 0, 0, 0o6000)).toBe(ALLOWED);
    expect(call("clone", 0x003d0f00)).toBe(ALLOWED);
    expect(call("socket", 2)).toBe(ALLOWED);
    expect(call("ioctl", 0, 0x5401)).toBe(ALLOWED);
  });

  test.each([
    "ptrace",
    "mount",
    "unshare",
    "setns",
    "bpf",
    "keyctl",
    "io_uring_setup",
    "kexec_load",
    "finit_module",
  ])("refuses %s", (name) => expect(call(name)).toBe(refused(1)));

  test("returns ENOSYS for calls that have an inspectable alternative", () => {
    expect(call("clone3")).toBe(refused(38));
    expect(call("openat2")).toBe(refused(38));
  });

  test("checks the arguments where they matter", () => {
    expect(call("clone", 0x10000011)).toBe(refused(1));
    expect(call("fchmodat", 0, 0, 0o4755)).toBe(refused(1));
    expect(call("fchmod", 0, 0o2755)).toBe(refused(1));
    expect(call("openat", 0, 0, 0o101, 0o4755)).toBe(refused(1));
    expect(call("socket", 40)).toBe(refused(97));
    expect(call("ioctl", 0, 0x5412)).toBe(refused(1));
    expect(call("personality", 0x0400000)).toBe(refused(1));
  });

  test("kills calls of another architecture", () => {
    expect(verdict(program, 0x40000003, 1)).toBe(KILLED);
    if (architecture === "x64") expect(verdict(program, table.audit, 0x40000001)).toBe(KILLED);
  });
});

describe.each(["x64", "arm64"])("the filter for commands without namespaces on %s", (architecture) => {
  const table = syscallTable(architecture);
  const program = seccompFilter(architecture, { namespaces: false });
  if (!table || !program) throw new Error(`there is no filter for ${architecture}`);
  const call = (name: string, ...args: number[]) =>
    verdict(program, table.audit, table.numbers[name] ?? -1, args);
  const ASKED = 0x7fc00000;

  test("asks the broker about permissions, owners and times, but never for a set-user-id bit", () => {
    for (const name of [
      "fchmod",
      "fchmodat",
      "fchmodat2",
      "fchown",
      "fchownat",
      "utimensat",
      "inotify_add_watch",
    ])
      expect(call(name), name).toBe(ASKED);
    expect(call("fchmodat", 0, 0, 0o4755)).toBe(refused(1));
    expect(Object.values(brokeredCalls(architecture))).toContain("fchmodat");
  });

  test("refuses what is shared with other processes, and sockets", () => {
    for (const name of ["shmget", "shmat", "semget", "msgget", "mq_open", "ioprio_set"])
      expect(call(name), name).toBe(refused(1));
    for (const name of ["setxattr", "lsetxattr", "fremovexattr"]) expect(call(name), name).toBe(refused(95));
    expect(call("socket", 1)).toBe(refused(97));
  });

  test("lets a process limit itself only", () => {
    for (const name of ["prlimit64", "sched_setaffinity", "sched_setscheduler"]) {
      expect(call(name, 0), name).toBe(ALLOWED);
      expect(call(name, 4_711), name).toBe(refused(1));
    }
    expect(call("setpriority", 0, 4_711)).toBe(refused(1));
    expect(call("setpriority", 0, 0)).toBe(ALLOWED);
    // All processes of the user.
    expect(call("setpriority", 2, 0)).toBe(refused(1));
  });
});

test("there is no filter for an unknown architecture", () => {
  expect(seccompFilter("riscv64")).toBeUndefined();
});
