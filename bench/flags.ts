import { availableParallelism, loadavg } from "node:os";
import { Child } from "./load/child.ts";
import { type CommandLine, Contestant, shippedCommandLine, startServer } from "./load/contestant.ts";
import { median, shuffled } from "./load/rounds.ts";

const ROUNDS = 9;
const STREAMS = 150;
const LOOK_MS = 3_000;
/** A flag that improves no figure by at least this much is not worth having. */
const LEAST_GAIN = 0.03;

/** What one round measured of one command line. */
interface Figures {
  /** Microseconds of CPU per token, with answers as fast as they can be read. */
  burst: number;
  /** Microseconds of CPU per token, with many streams of 50 tokens a second. */
  paced: number;
  /** Milliseconds that a token is delayed at the 99th percentile of the paced streams. */
  p99: number;
  /** Megabytes that the process holds after the round. */
  memory: number;
}

const COLUMNS: readonly (keyof Figures)[] = ["burst", "paced", "p99", "memory"];
/** Delays depend on what else this machine does, so no flag is kept for them. */
const DECISIVE: readonly (keyof Figures)[] = ["burst", "paced", "memory"];

/**
 * Measures what each flag of the `tackle` command earns: the server without it, compared to the server as shipped.
 *
 * `--rounds=9` and `--streams=150` change the defaults, `--try=--some-flag,NAME=value` measures additions, and
 * `--only=part,of,name` measures only these variants.
 */
export async function run(): Promise<void> {
  const rounds = Number(option("rounds") ?? ROUNDS);
  const streams = Number(option("streams") ?? STREAMS);
  const upstream = new Child("upstream.ts", []);
  const client = new Child("client.ts", []);
  const stops: (() => Promise<unknown>)[] = [() => upstream.stop(), () => client.stop()];
  try {
    const address = await upstream.ask<string>("url");
    const contestants: Contestant[] = [];
    for (const [name, commandLine] of variants(shippedCommandLine())) {
      const contestant = new Contestant(name, [startServer("tackle", address, commandLine)], client);
      stops.push(() => contestant.stop());
      contestants.push(await contestant.prepare("tackle"));
      await contestant.burst(); // Until everything is compiled.
      await contestant.burst();
    }
    const found = new Map(contestants.map(({ name }) => [name, [] as Figures[]]));
    for (let round = 0; round < rounds; round++)
      for (const contestant of shuffled(contestants))
        found.get(contestant.name)?.push(await measure(contestant, streams));
    report(found, streams);
  } finally {
    await Promise.all(stops.map((stop) => stop()));
  }
}

/** The command as shipped, the same again to show the noise, without each flag, and with each addition to try. */
function variants(shipped: CommandLine): Map<string, CommandLine> {
  const found = new Map([
    ["shipped", shipped],
    ["shipped again", shipped],
  ]);
  for (const flag of shipped.flags)
    found.set(`without ${flag}`, { ...shipped, flags: shipped.flags.filter((other) => other !== flag) });
  for (const [name, value] of Object.entries(shipped.env)) {
    const { [name]: _left, ...env } = shipped.env;
    found.set(`without ${name}=${value}`, { ...shipped, env });
  }
  for (const word of option("try")?.split(",") ?? []) {
    const [name = "", value = ""] = word.split("=");
    if (word.startsWith("--")) found.set(`with ${word}`, { ...shipped, flags: [...shipped.flags, word] });
    else found.set(`with ${word}`, { ...shipped, env: { ...shipped.env, [name]: value } });
  }
  const only = option("only")?.split(",");
  return new Map([...found].filter(([name]) => !only || only.some((part) => name.includes(part))));
}

async function measure(contestant: Contestant, streams: number): Promise<Figures> {
  const burst = await contestant.burst();
  await contestant.open(streams);
  const paced = await contestant.look(LOOK_MS);
  await contestant.close();
  const { now } = await contestant.resident();
  return { burst: burst.cpuPerToken, paced: paced.cpuPerToken, p99: paced.p99, memory: now / 1024 ** 2 };
}

function report(found: Map<string, Figures[]>, streams: number): void {
  const shipped = found.get("shipped") ?? [];
  const again = found.get("shipped again") ?? [];
  console.log(
    `One process each, medians of ${shipped.length} shuffled rounds. CPU per token in a burst and with ${streams} streams of 50 tokens a\n` +
      "second, delay of a token at p99 of these, memory held. × is this figure divided by the one as shipped.\n",
  );
  console.log(row(["", "burst", "×", "paced", "×", "p99", "×", "memory", "×", ""]));
  for (const [name, figures] of found) {
    const ratios = COLUMNS.map((column) => ratio(figures, shipped, column));
    const cells = COLUMNS.flatMap((column, at) => [
      `${median(figures.map((one) => one[column])).toFixed(column === "memory" ? 0 : 1)} ${UNITS[column]}`,
      ratios[at]?.toFixed(2) ?? "",
    ]);
    console.log(row([name, ...cells, name.startsWith("without ") ? verdict(figures, shipped, again) : ""]));
  }
  console.log(`\nload average ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`);
}

const UNITS: Record<keyof Figures, string> = { burst: "µs", paced: "µs", p99: "ms", memory: "MB" };

function ratio(figures: Figures[], shipped: Figures[], column: keyof Figures): number {
  const middle = (rounds: Figures[]) => median(rounds.map((round) => round[column]));
  return middle(figures) / middle(shipped);
}

/** A gain counts if it is large enough and larger than the difference between two runs of the same command. */
function verdict(figures: Figures[], shipped: Figures[], again: Figures[]): string {
  const earns = DECISIVE.some((column) => {
    const noise = Math.abs(ratio(again, shipped, column) - 1);
    return ratio(figures, shipped, column) - 1 >= Math.max(LEAST_GAIN, noise);
  });
  return earns ? "keep" : "REMOVE";
}

function row([name = "", ...cells]: string[]): string {
  return `${name.padEnd(48)}${cells.map((cell, at) => cell.padStart(at % 2 === 0 ? 10 : 6)).join("")}`;
}

function option(name: string): string | undefined {
  return process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
}
