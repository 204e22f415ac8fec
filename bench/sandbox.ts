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
import {
  type Cell,
  probeTier,
  probeTierAsOrdinaryUser,
  type Tier,
} from "../src/contain/command/testing/matrix.ts";
import type { Sandbox } from "../src/protocol/tool.ts";

const COMMANDS = 40;
const BARE: Sandbox = { tier: "bare", detail: "", improve: "" };

/**
 * Tries everything that a command must not be able to do, on every tier, as root and as an ordinary user, and what it must be
 * able to do. Then measures what its confinement costs.
 */
export async function run(): Promise<void> {
  const columns = [...(await matrix())];
  const open = columns.reduce((sum, column) => sum + column.open.length + column.broken.length, 0);
  if (open > 0) process.exitCode = 1;
  const sandbox = await detectSandbox();
  console.log(`\nSandbox in use: ${sandbox.tier}. ${sandbox.detail}`);
  if (missingForProbes(sandbox)) return;
  const host = await openProbedHost();
  try {
    await countOrphans(host, sandbox);
    await measure(host, sandbox);
  } finally {
    await host.close();
  }
}

interface Column {
  title: string;
  cells: Cell[];
  open: Cell[];
  broken: Cell[];
}

const TIERS: readonly Tier[] = ["bare", "bubblewrap", "landlock"];
const TITLES = { bare: "none", bubblewrap: "bubblewrap", landlock: "Landlock" };
const WIDTH = 19;

async function matrix(): Promise<Column[]> {
  const isRoot = process.getuid?.() === 0;
  const ways = isRoot
    ? ([
        ["root", probeTier],
        ["user", probeTierAsOrdinaryUser],
      ] as const)
    : ([["user", probeTier]] as const);
  if (!isRoot) console.log("Not probed as root: only root can try that.");
  const columns: Column[] = [];
  for (const [who, probe] of ways) {
    for (const tier of TIERS) columns.push(await column(`${TITLES[tier]}, ${who}`, probe(tier)));
  }
  const line = (words: readonly string[]) =>
    console.log(
      words[0]?.padEnd(54) +
        words
          .slice(1)
          .map((word) => word.padEnd(WIDTH))
          .join(""),
    );
  line(["probe", ...columns.map(({ title }) => title)]);
  const word = (found: Cell | undefined) =>
    found === undefined
      ? "not tried"
      : found.kind === "task"
        ? found.result
          ? "works"
          : "BROKEN"
        : found.result
          ? "OPEN"
          : "blocked";
  for (const name of new Set(columns.flatMap(({ cells }) => cells.map((cell) => cell.name))))
    line([name, ...columns.map(({ cells }) => word(cells.find((cell) => cell.name === name)))]);
  for (const { title, cells, open, broken } of columns) console.log(summary(title, cells, open, broken));
  return columns.filter(({ title }) => !title.startsWith(TITLES.bare));
}

async function column(title: string, cells: AsyncIterable<Cell>): Promise<Column> {
  const found: Cell[] = [];
  for await (const cell of cells) {
    if (cell.kind === "missing") console.log(`${title} is not probed: ${cell.said}`);
    else found.push(cell);
  }
  const open = found.filter(({ kind, result }) => kind === "probe" && result);
  const broken = found.filter(({ kind, result }) => kind === "task" && !result);
  return { title, cells: found, open, broken };
}

function summary(
  title: string,
  cells: readonly Cell[],
  open: readonly Cell[],
  broken: readonly Cell[],
): string {
  const probes = cells.filter(({ kind }) => kind === "probe").length;
  const tasks = cells.length - probes;
  const works = tasks === 0 ? "" : `, honest tasks that work: ${tasks - broken.length} of ${tasks}`;
  return `${title}: ${open.length} of ${probes} probes open${works}`;
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
