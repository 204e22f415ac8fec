// A Stryker checker that lets only the sampled mutants through. Stryker has no sampling of its own.
import { readFileSync } from "node:fs";

/** Identifies a mutant across processes. */
export function keyOf({ fileName, location, mutatorName, replacement }) {
  const { start, end } = location;
  const file = fileName.replaceAll("\\", "/").replace(/^.*?(?=src\/)/, "");
  return `${file}:${start.line}:${start.column}-${end.line}:${end.column} ${mutatorName} ${replacement}`;
}

class Sampler {
  sample = new Set(JSON.parse(readFileSync(process.env.MUTANT_SAMPLE, "utf8")));

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

export const strykerPlugins = [{ kind: "Checker", name: "sampler", injectableClass: Sampler }];
