import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Sandbox } from "../../../protocol/tool.ts";
import { detectSandbox } from "../detect.ts";
import { HONEST_TASKS, tryHonest } from "./honest.ts";
import { missingForProbes, openProbedHost } from "./host.ts";
import { isControl, tryProbe } from "./probe.ts";
import { PROBES } from "./probes.ts";

/** One cell of the matrix: what a command could do, or could not do though it should. */
export interface Cell {
  readonly kind: "probe" | "task" | "missing";
  readonly name: string;
  readonly tier: Tier;
  /** Whether a probe is open, or a task works. */
  readonly result: boolean;
  readonly said: string;
}
export type Tier = "bubblewrap" | "landlock" | "bare";

/** An ordinary user that no system has an account for. */
const ORDINARY_USER = 64_321;

/** Returns the sandbox of one tier. */
export async function sandboxOf(tier: Tier): Promise<Sandbox> {
  if (tier === "bare") return { tier, detail: "", improve: "" };
  return detectSandbox({ without: [tier === "landlock" ? "bubblewrap" : "landlock"] });
}

/** Tries everything in one tier, as the user that we are. In `bare`, what is known to succeed and does no harm. */
export async function* probeTier(
  tier: Tier,
  only: (name: string) => boolean = () => true,
): AsyncGenerator<Cell> {
  const sandbox = await sandboxOf(tier);
  const missing = tier === "bare" ? undefined : missingForProbes(sandbox);
  if (missing !== undefined) {
    yield { kind: "missing", name: tier, tier, result: false, said: missing };
    return;
  }
  const host = await openProbedHost();
  try {
    for (const probe of PROBES.filter(({ name }) => only(name))) {
      if (tier === "bare" && !isControl(probe)) continue;
      const { open, said } = await tryProbe(probe, host, sandbox);
      yield { kind: "probe", name: probe.name, tier, result: open, said };
    }
    for (const task of tier === "bare" ? [] : HONEST_TASKS.filter(({ name }) => only(name))) {
      const done = await tryHonest(task, host, sandbox);
      if (done) yield { kind: "task", name: task.name, tier, result: done.works, said: done.said };
    }
  } finally {
    await host.close();
  }
}

/** Does the same as an ordinary user, in another process. Only root can. */
export async function* probeTierAsOrdinaryUser(
  tier: Tier,
  only: readonly string[] = [],
): AsyncGenerator<Cell> {
  const script = new URL("matrix-main.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [script, tier, ...only], {
    uid: ORDINARY_USER,
    gid: ORDINARY_USER,
    cwd: "/",
    env: { PATH: process.env.PATH, HOME: "/nonexistent" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as Cell;
  const code = await exit;
  if (code !== 0) throw new Error(`The probes of an ordinary user ended with ${code}.`);
}
