import { chmodSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Sandbox } from "../../../protocol/tool.ts";
import type { ContainedOptions } from "../../command.ts";
import { type ProbedHost, PYTHON } from "./host.ts";

/** Who can do it without a sandbox, reliably and without harm. Such a probe is known to work. */
export type Control = "everyone" | "root" | "nobody";

/** One attempt to do what a command must not be able to do. */
export interface Probe {
  readonly name: string;
  readonly control: Control;
  /** Python that prints OPEN if it got something that it must not get. */
  code(host: ProbedHost): string;
  /** How it runs, if not as usual. */
  readonly options?: Partial<ContainedOptions>;
  /** Whether the host sees that it got something, while it runs. */
  seen?(host: ProbedHost): boolean;
}

const PREPARE = `
import ctypes, errno, mmap, os, resource, socket, subprocess, sys, tempfile, time
libc = ctypes.CDLL(None, use_errno=True)
def syscall(x64, arm64, *arguments):
    number = x64 if os.uname().machine == "x86_64" else arm64
    return libc.syscall(number, *[ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments])
def got():
    print("OPEN", flush=True)
def gets(*works):
    for work in works:
        try: result = work()
        except OSError: continue
        if result != -1: got()
`;
const LOOK_MS = 50;

/** Returns a text as Python writes it. */
export const text = (value: string) => JSON.stringify(value);

/** Defines a probe that runs with the usual limits. */
export function probe(
  name: string,
  control: Control | boolean,
  code: (host: ProbedHost) => string,
  more: Pick<Probe, "options" | "seen"> = {},
): Probe {
  return { name, control: control === true ? "everyone" : control || "nobody", code, ...more };
}

/** Whether a probe is expected to succeed without a sandbox. */
export function isControl({ control }: Probe): boolean {
  return control === "everyone" || (control === "root" && process.getuid?.() === 0);
}

/** Runs a probe in an empty workspace. */
export async function tryProbe(
  { code, options, seen }: Probe,
  host: ProbedHost,
  sandbox: Sandbox,
): Promise<{ open: boolean; said: string }> {
  emptyWorkspace(host);
  host.restore();
  writeFileSync(join(host.workspace, "probe.py"), PREPARE + code(host));
  const running = host.run(`${PYTHON} probe.py`, sandbox, options);
  let open = false;
  let ended = false;
  const ending = running.finally(() => {
    ended = true;
  });
  while (seen && !ended && !open) {
    open = seen(host);
    await delay(LOOK_MS);
  }
  const { stdout, stderr } = await ending;
  return { open: open || stdout.includes("OPEN"), said: stdout + stderr };
}

/** Removes what the last command has left in the workspace. */
export function emptyWorkspace({ workspace }: ProbedHost): void {
  chmodSync(workspace, 0o755);
  for (const name of readdirSync(workspace)) rmSync(join(workspace, name), { recursive: true, force: true });
}
