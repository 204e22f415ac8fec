import { readFileSync } from "node:fs";

interface Input {
  value: number;
  unit: string;
  about: string;
}

/** Every assumption, with its unit. Change one with `--name=value`, or several with `--inputs=FILE` of JSON. */
const INPUTS = {
  people: { value: 1_000_000, unit: "people", about: "who have an account" },
  activeShare: { value: 0.2, unit: "of people", about: "who write on a day" },
  messagesPerDay: { value: 8, unit: "messages", about: "of an active person" },
  tokensPerAnswer: { value: 400, unit: "tokens", about: "the model writes for a message, with tool calls" },
  inputTokensPerMessage: {
    value: 4_000,
    unit: "tokens",
    about: "the model reads: history, instructions, tools",
  },
  tokensPerSecond: { value: 50, unit: "tokens/s", about: "of one stream" },
  toolSeconds: { value: 2, unit: "s", about: "of tools for a message, on average" },
  peakFactor: { value: 3, unit: "× the mean", about: "messages in the busiest minutes" },
  retentionDays: { value: 365, unit: "days", about: "conversations are kept" },
  fileBytesPerMessage: { value: 20_000, unit: "bytes", about: "attached, on average" },
  storageOverhead: { value: 1.3, unit: "×", about: "what a live table has in dead rows and half-full pages" },
  utilization: { value: 0.6, unit: "of a core", about: "used at the peak, so that one instance may fail" },
  coresPerInstance: { value: 4, unit: "cores", about: "of a server, one process each" },
  databaseCores: { value: 32, unit: "cores", about: "of the largest database server you would run" },
  logMegabytesPerSecond: {
    value: 100,
    unit: "MB/s",
    about: "of write-ahead log that its disk and replicas keep up with",
  },
  databaseTerabytes: { value: 16, unit: "TB", about: "of the largest volume you would run" },
  databaseConnections: { value: 2_000, unit: "connections", about: "that it can have" },
  poolSize: { value: 10, unit: "connections", about: "of a process (TACKLE_DATABASE_POOL)" },
  streamsPerProcess: { value: 2_000, unit: "streams", about: "at most (TACKLE_MAX_STREAMS)" },
  coreMonthUsd: { value: 25, unit: "$/month", about: "for a core with 4 GB" },
  databaseCoreMonthUsd: {
    value: 60,
    unit: "$/month",
    about: "for a core of a managed database, with a replica",
  },
  diskGigabyteMonthUsd: { value: 0.2, unit: "$/month", about: "for a GB of database volume, with a replica" },
  fileGigabyteMonthUsd: { value: 0.023, unit: "$/month", about: "for a GB in a bucket" },
  inputMillionUsd: { value: 0.3, unit: "$/million", about: "tokens that the model reads" },
  outputMillionUsd: { value: 2.5, unit: "$/million", about: "tokens that the model writes" },
} satisfies Record<string, Input>;

/** Prices are examples of this month. Yours differ: pass them. */
export const PRICES_OF = "2026-11";

export type Inputs = Record<keyof typeof INPUTS, number>;

/** Reads the inputs from the command line. Throws for a name or a value that is none. */
export function readInputs(args: readonly string[]): Inputs {
  const inputs = Object.fromEntries(
    Object.entries(INPUTS).map(([name, { value }]) => [name, value]),
  ) as Inputs;
  const set = (name: string, value: unknown) => {
    if (!isInput(name))
      throw new Error(`there is no input ${name}; the inputs are: ${Object.keys(INPUTS).join(", ")}`);
    const number = Number(value);
    if (value === "" || !Number.isFinite(number) || number <= 0)
      throw new Error(`${name} must be a number above 0`);
    inputs[name] = number;
  };
  for (const arg of args) {
    const [, name = "", value = ""] = /^--([^=]+)=(.*)$/.exec(arg) ?? [];
    if (name === "inputs")
      for (const [key, given] of Object.entries(JSON.parse(readFileSync(value, "utf8")))) set(key, given);
    else if (name !== "" && name !== "costs") set(name, value);
  }
  return inputs;
}

/** The inputs as lines of a table. */
export function inputLines(inputs: Inputs): string[] {
  return Object.entries(INPUTS).map(
    ([name, { unit, about }]) =>
      `  ${name.padEnd(22)} ${format(inputs[name as keyof Inputs]).padStart(10)} ${unit.padEnd(12)} ${about}`,
  );
}

function isInput(name: string): name is keyof Inputs {
  return Object.hasOwn(INPUTS, name);
}

function format(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 3 });
}
