// What Stryker lacks: a checker that lets only the sampled mutants through, and a reporter that writes each result at once.
import { appendFileSync, readFileSync } from "node:fs";

/** Identifies a mutant across processes. */
export function keyOf({ fileName, location, mutatorName, replacement }) {
  const { start, end } = location;
  const file = fileName.replaceAll("\\", "/").replace(/^.*?(?=src\/)/, "");
  return `${file}:${start.line}:${start.column}-${end.line}:${end.column} ${mutatorName} ${replacement}`;
}

/** Reports count lines and columns from 1, mutants from 0. */
function fromZero({ start, end }) {
  const shift = ({ line, column }) => ({ line: line - 1, column: column - 1 });
  return { start: shift(start), end: shift(end) };
}

class Sampler {
  sample = readSample();

  async init() {}

  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants) {
    const verdict = (mutant) =>
      this.sample.has(keyOf(mutant))
        ? { status: "passed" }
        : { status: "compileError", reason: "not sampled" };
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, verdict(mutant)]));
  }
}

const SAY_EVERY = 20;

class Results {
  sample = readSample();
  tested = 0;

  onMutantTested({ fileName, location, mutatorName, replacement, status, statusReason }) {
    const key = keyOf({ fileName, location: fromZero(location), mutatorName, replacement });
    if (!this.sample.has(key)) return;
    appendFileSync(
      process.env.MUTANT_RESULTS,
      `${JSON.stringify({ key, location, mutatorName, replacement, status, statusReason })}\n`,
    );
    if (++this.tested % SAY_EVERY === 0)
      process.stderr.write(`mutants: ${this.tested} of ${this.sample.size} tested\n`);
  }
}

function readSample() {
  return new Set(JSON.parse(readFileSync(process.env.MUTANT_SAMPLE, "utf8")));
}

export const strykerPlugins = [
  { kind: "Checker", name: "sampler", injectableClass: Sampler },
  { kind: "Reporter", name: "results", injectableClass: Results },
];
