import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { detectSandbox } from "../src/contain/command/detect.ts";
import {
  missingForProbes,
  openProbedHost,
  type ProbedHost,
  processesWith,
  until,
} from "../src/contain/command/testing/host.ts";
import { PROBES, tryProbe } from "../src/contain/command/testing/probes.ts";
import type { Sandbox } from "../src/protocol/tool.ts";

const COMMANDS = 40;
const BARE: Sandbox = { tier: "bare", detail: "", improve: "" };

/** Tries everything that a command must not be able to do, and measures what its confinement costs. */
export async function run(): Promise<void> {
  const sandbox = await detectSandbox();
  console.log(`Sandbox: ${sandbox.tier}. ${sandbox.detail}`);
  const missing = missingForProbes(sandbox);
  if (missing) {
    console.log(`Not probed: ${missing} ${sandbox.improve}`);
    return;
  }
  const host = await openProbedHost();
  try {
    await probe(host, sandbox);
    await countOrphans(host, sandbox);
    await measure(host, sandbox);
  } finally {
    await host.close();
  }
}

async function probe(host: ProbedHost, sandbox: Sandbox): Promise<void> {
  let blocked = 0;
  console.log(`\n${"probe".padEnd(44)}${"no sandbox".padEnd(14)}sandbox`);
  for (const each of PROBES) {
    // Without a sandbox, only harmless probes run.
    const without = each.control ? word((await tryProbe(each, host, BARE)).open) : "not tried";
    const { open } = await tryProbe(each, host, sandbox);
    if (!open) blocked += 1;
    console.log(`${each.name.padEnd(44)}${without.padEnd(14)}${word(open)}`);
  }
  console.log(`tried ${PROBES.length}, blocked ${blocked}`);
}

/** Starts a daemon and runs into the time limit. No process may be left afterwards. */
async function countOrphans(host: ProbedHost, sandbox: Sandbox): Promise<void> {
  const mark = randomUUID();
  const daemon = `(setsid sh -c 'setsid sh -c "while :; do sleep 1; done # ${mark}" &' &)`;
  const { timedOut } = await host.run(`${daemon}; sleep 60`, sandbox, { timeoutMs: 2_000 });
  await until(() => processesWith(mark).length === 0);
  console.log(
    `orphans after a timeout: ${processesWith(mark).length}${timedOut ? "" : " (it did not time out)"}`,
  );
}

function word(open: boolean): string {
  return open ? "OPEN" : "blocked";
}

async function measure(host: ProbedHost, sandbox: Sandbox): Promise<void> {
  const ways: [string, () => Promise<unknown>][] = [
    ["bare spawn", () => once(spawn("/bin/sh", ["-c", "true"], { stdio: "ignore" }), "exit")],
    ["limits only", () => host.run("true", BARE)],
    [sandbox.tier, () => host.run("true", sandbox)],
  ];
  const times = ways.map((): number[] => []);
  // Variants alternate, so that other load on the machine affects all of them equally.
  for (let round = 0; round < COMMANDS; round += 1) {
    for (const [index, [, once]] of ways.entries()) {
      const began = performance.now();
      await once();
      times[index]?.push(performance.now() - began);
    }
  }
  const [first = 1, ...rest] = times.map(median);
  console.log(`\nmedian of ${COMMANDS} commands: bare spawn ${first.toFixed(1)} ms`);
  for (const [index, time] of rest.entries()) {
    console.log(
      `${ways[index + 1]?.[0]}: ${time.toFixed(1)} ms, ${(time / first).toFixed(1)} × a bare spawn`,
    );
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
