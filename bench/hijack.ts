import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Line } from "./hijack/play-lane.ts";
import { report } from "./hijack/report.ts";

/** The tools of every case over each of these, with honest annotations and with none. */
const LANES = ["stdio", "http", "openapi", "own"].flatMap((transport) =>
  ["honest", "none"].map((annotations) => ({ transport, annotations })),
);

/**
 * Plays a model that obeys every planted sentence, and prints what it could do unasked, and what work cost in questions.
 * `--sample=10` plays every tenth case, `--only=http` some lanes, `--kinds=nobody,fetch` some cases, `--verbose` lists what went wrong.
 */
export async function run(): Promise<void> {
  const only = option("only");
  const lanes = LANES.filter(({ transport, annotations }) =>
    `${transport} ${annotations}`.includes(only ?? ""),
  );
  const waiting = [...lanes];
  const found = new Map<string, Line[]>();
  const work = async () => {
    for (let lane = waiting.shift(); lane; lane = waiting.shift())
      found.set(`${lane.transport} ${lane.annotations}`, await playElsewhere(lane));
  };
  // A lane plays one case at a time and often waits for its disk.
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, work));
  const ordered = lanes.map(({ transport, annotations }) => {
    const name = `${transport} ${annotations}`;
    return [name, found.get(name) ?? []] as const;
  });
  if (!report(new Map(ordered), process.argv.includes("--verbose"))) process.exitCode = 1;
}

/** Plays a lane in its own process, because a product keeps one core busy. */
async function playElsewhere({ transport, annotations }: (typeof LANES)[number]): Promise<Line[]> {
  const entry = join(import.meta.dirname, "hijack", "lane-process.ts");
  const child = fork(entry, [transport, annotations, option("sample") ?? "1", option("kinds") ?? ""]);
  let lines: Line[] | undefined;
  child.on("message", (message) => {
    lines = message as Line[];
  });
  const [[code]] = await Promise.all([once(child, "exit"), once(child, "disconnect")]);
  if (!lines) throw new Error(`the lane ${transport} ${annotations} ended with ${code} and no answer`);
  return lines;
}

function option(name: string): string | undefined {
  return process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
}
