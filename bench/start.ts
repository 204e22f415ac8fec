import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { startServer, temporaryFolder } from "../test/support/server.ts";
import { chat, the } from "../test/support/sse.ts";

const ROUNDS = 5;

/** From the start of the process to the end of the first answer, and what the server weighs when nothing happens. */
export async function run(): Promise<void> {
  const seconds: number[] = [];
  const megabytes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const folder = temporaryFolder();
    const began = performance.now();
    const server = await startServer(folder.path);
    the(await chat(server.url, { message: "hello" }), "done");
    seconds.push((performance.now() - began) / 1000);
    await pause(1_000);
    megabytes.push(residentMegabytes(server.child.pid));
    await server.stop();
    folder.remove();
  }
  console.log(`start to first answer: ${describe(seconds, 2)} s (figure: under 2 s)`);
  console.log(`resident memory, idle: ${describe(megabytes, 0)} MB (figure: under 150 MB)`);
}

function residentMegabytes(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

function describe(values: number[], digits: number): string {
  const sorted = values.toSorted((left, right) => left - right);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return `median ${median.toFixed(digits)}, worst ${(sorted.at(-1) ?? 0).toFixed(digits)}`;
}
