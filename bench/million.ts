import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import type { Cost } from "./million/fit.ts";
import { type Inputs, inputLines, PRICES_OF, readInputs } from "./million/inputs.ts";
import { type Comparison, holds, measureCosts, TOLERANCE } from "./million/measure.ts";
import { type Costs, limitsOf, predict } from "./million/predict.ts";

/**
 * Predicts what one million people need: servers, database, storage and money. What turns and tokens cost is measured here first, and
 * the prediction is compared with measurements on 1, 2 and 4 processes. Ends with 1 if one is more than 20 % off.
 *
 * `--people=50000` and so on change the inputs, `--inputs=FILE` reads them as JSON, and `--costs=FILE` uses costs that were printed before
 * instead of measuring.
 */
export async function run(): Promise<void> {
  const args = process.argv.slice(3);
  const inputs = readInputs(args);
  const file = args.find((arg) => arg.startsWith("--costs="))?.slice("--costs=".length);
  const costs = file === undefined ? await measured() : (JSON.parse(readFileSync(file, "utf8")) as Costs);
  report(inputs, costs);
}

async function measured(): Promise<Costs> {
  console.log("Measuring on this machine, for about two minutes …\n");
  const { costs, comparisons, engine } = await measureCosts();
  console.log(`Measured with ${engine}, ${TOKENS}; CPU time of the processes\n`);
  console.log(line(["", "a process streams", "each turn", "each token"]));
  const cost = (
    name: string,
    { perProcessSecond, perTurn, perToken }: Cost,
    one: (value: number) => string,
  ) => console.log(line([name, `${one(perProcessSecond)}/s`, one(perTurn), one(perToken)]));
  cost("servers", costs.server, cpu);
  cost("database", costs.database, cpu);
  cost("write-ahead log", costs.log, bytes);
  cost("stored after the end", costs.stored, bytes);
  console.log(
    `\nThe prediction for other loads beside what they took, per token (at most ${TOLERANCE * 100} % off)\n`,
  );
  for (const comparison of comparisons) console.log(compared(comparison));
  if (!comparisons.every(holds)) process.exitCode = 1;
  console.log(`\nload average ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`);
  console.log(`for --costs=FILE: ${JSON.stringify(costs)}`);
  return costs;
}

const TOKENS = "50 tokens a second on each stream";

function compared(comparison: Comparison): string {
  const { what, where, predicted, measured, unit } = comparison;
  const off = (predicted / measured - 1) * 100;
  const sign = off >= 0 ? "+" : "−";
  return line([
    what,
    where,
    `${predicted.toFixed(1)} ${unit}`,
    `${measured.toFixed(1)} ${unit}`,
    `${sign}${Math.abs(off).toFixed(0)} %${holds(comparison) ? "" : " TOO FAR"}`,
  ]);
}

function report(inputs: Inputs, costs: Costs): void {
  const found = predict(inputs, costs);
  const { monthUsd } = found;
  console.log(
    `\nInputs (prices as of ${PRICES_OF}; change any with --name=value)\n${inputLines(inputs).join("\n")}`,
  );
  console.log("\nPrediction");
  const rows: [string, string][] = [
    ["messages a day", whole(found.messagesPerDay)],
    ["messages a second, at the peak", whole(found.messagesPerSecond)],
    ["tokens a second, at the peak", whole(found.tokensPerSecond)],
    ["streams at once, at the peak", whole(found.streams)],
    ["processes (one core each)", whole(found.processes)],
    [`instances of ${inputs.coresPerInstance} cores`, whole(found.instances)],
    ["cores of the database", found.databaseCores.toFixed(1)],
    ["connections to the database", whole(found.connections)],
    ["write-ahead log, at the peak", `${(found.logBytesPerSecond / 1e6).toFixed(1)} MB/s`],
    [`database after ${inputs.retentionDays} days`, size(found.databaseBytes)],
    [`files after ${inputs.retentionDays} days`, size(found.fileBytes)],
    ["servers", dollars(monthUsd.servers)],
    ["database", dollars(monthUsd.database)],
    ["storage", dollars(monthUsd.storage)],
    ["models", dollars(monthUsd.models)],
  ];
  for (const [name, value] of rows) console.log(`  ${name.padEnd(34)} ${value.padStart(14)}`);
  console.log("\nWhat breaks first, as people become more and everything else stays");
  for (const { what, people, remedy } of limitsOf(inputs, costs))
    console.log(`  ${millions(people).padStart(14)} people: ${what}. ${remedy}`);
}

function line(cells: string[]): string {
  const widths = [22, 22, 14, 14, 16];
  return `  ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(" ")}`;
}

function cpu(seconds: number): string {
  return seconds >= 1e-3 ? `${(seconds * 1e3).toFixed(2)} ms` : `${(seconds * 1e6).toFixed(1)} µs`;
}

function bytes(value: number): string {
  return `${value >= 10_000 ? `${(value / 1_000).toFixed(0)} k` : `${value.toFixed(1)} `}B`;
}

function size(value: number): string {
  return value >= 1e12 ? `${(value / 1e12).toFixed(1)} TB` : `${(value / 1e9).toFixed(0)} GB`;
}

function whole(value: number): string {
  return Math.ceil(value).toLocaleString("en");
}

function dollars(value: number): string {
  return `$${whole(value)}/month`;
}

function millions(people: number): string {
  return people >= 1e9 ? "over a billion" : `${(people / 1e6).toFixed(1)} million`;
}
