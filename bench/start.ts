import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { command as program, startOwnServer, temporaryFolder } from "../test/support/server.ts";
import { chat, firstEvent } from "../test/support/sse.ts";
import { measureInstall } from "./start/install.ts";

const ROUNDS = 5;
/** By then, the engine has given back what only the start needed, and the answer is indexed. */
const IDLE_MS = 35_000;
const PATIENCE = 1_000;

/**
 * Measures the time until a server is ready and to its first answer, its memory after 35 idle seconds, and the CPU time until a
 * terminal shows its prompt and can answer. With `--install`: what `npm start` installs on a fresh clone, and how long it takes.
 */
export async function run(): Promise<void> {
  if (process.argv.includes("--install")) return measureInstall();
  const rounds: Awaited<ReturnType<typeof terminalStart>>[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await terminalStart());
  const times = (pick: (round: (typeof rounds)[number]) => number) => describe(rounds.map(pick), 0);
  console.log(
    `terminal, time until the prompt: ${times(({ prompt }) => prompt.time)} ms (figure: at most 500 ms)`,
  );
  console.log(
    `terminal, CPU until the prompt: ${times(({ prompt }) => prompt.cpu)} ms (figure: at most 100 ms)`,
  );
  console.log(`terminal, CPU until it can answer: ${times(({ ready }) => ready.cpu)} ms`);
  const ready: number[] = [];
  const answered: number[] = [];
  const megabytes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const folder = temporaryFolder();
    const began = performance.now();
    const server = await startOwnServer(folder.path);
    ready.push((performance.now() - began) / 1000);
    firstEvent(await chat(server.url, { message: "hello" }), "done");
    answered.push((performance.now() - began) / 1000);
    await pause(IDLE_MS);
    megabytes.push(residentMegabytes(server.child.pid));
    await server.stop();
    folder.remove();
  }
  console.log(`start until ready: ${describe(ready, 2)} s (figure: at most 0.5 s)`);
  console.log(`start to first answer: ${describe(answered, 2)} s`);
  console.log(`resident memory, idle: ${describe(megabytes, 0)} MB (figure: at most 110 MB)`);
}

/** Records the age and the CPU time of the process when a text is first written. */
const NOTE_CPU = `
  import { appendFileSync } from "node:fs";
  const wanted = ["›", "demo/demo"];
  const { write } = process.stdout;
  process.stdout.write = function (text, ...rest) {
    while (wanted.length > 0 && String(text).includes(wanted[0])) {
      wanted.shift();
      const { user, system } = process.cpuUsage();
      appendFileSync(process.env.CPU_NOTES, performance.now() + " " + (user + system) / 1000 + "\\n");
    }
    return write.call(this, text, ...rest);
  };
`;

/** Returns milliseconds since the start, and of user and system time, in a separate pseudo-terminal. */
async function terminalStart() {
  const folder = temporaryFolder();
  const [notes, preload] = [join(folder.path, "notes"), join(folder.path, "note.mjs")];
  writeFileSync(notes, "");
  writeFileSync(preload, NOTE_CPU);
  const command = `exec '${process.execPath}' --import '${preload}' '${program}'`;
  const data = join(folder.path, "data");
  const child = spawn("script", ["-qfec", command, "/dev/null"], {
    env: { ...process.env, TACKLE_DATA: data, TACKLE_MODEL: "demo/demo", TERM: "xterm", CPU_NOTES: notes },
  });
  const noted = () =>
    readFileSync(notes, "utf8")
      .trim()
      .split("\n")
      .map((line) => {
        const [time = Number.NaN, cpu = Number.NaN] = line.split(" ").map(Number);
        return { time, cpu };
      });
  for (let tries = 0; tries < PATIENCE && noted().length < 2; tries++) await pause(20);
  const missing = { time: Number.NaN, cpu: Number.NaN };
  const [prompt = missing, ready = missing] = noted();
  child.kill();
  folder.remove();
  return { prompt, ready };
}

function residentMegabytes(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

function describe(values: number[], digits: number): string {
  const sorted = values.toSorted((left, right) => left - right);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return `median ${median.toFixed(digits)}, worst ${(sorted.at(-1) ?? 0).toFixed(digits)}`;
}
