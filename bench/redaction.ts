import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { redact, redactSecrets } from "../src/guard/redact/redact.ts";
import { HOSTILE } from "../src/guard/redact/testing/hostile.ts";
import { type Measured, measureRedaction, share } from "../src/guard/redact/testing/measure.ts";

/** Measures what the fifth layer removes from errors, logs and tool results, what it leaves, and its worst-case cost. */
export async function run(): Promise<void> {
  const measured = measureRedaction([1, 2, 3, 4, 5]);
  line("keys of our own providers", measured.ownKeys, true, "figure: 100 %");
  line("secrets of other vendors", measured.secrets, true, "figure: at least 98 %");
  line("harmless texts changed", measured.harmless, false, "figure: at most 1 %");
  line("personal data", measured.personal, true, "figure: at least 95 %");
  line("impersonal numbers changed", measured.impersonal, false, "figure: at most 2 %");
  line("lines of our own source", await ownSource(), false, "changed although they contain no secret");
  const slowest = HOSTILE.map((piece) => [costOf(piece.repeat(100_000 / piece.length)), piece] as const).sort(
    ([one], [other]) => other - one,
  )[0];
  console.log(
    `slowest 100 kB            ${slowest?.[0].toFixed(1)} ms of CPU: ${JSON.stringify(slowest?.[1])} repeated (figure: under 50 ms)`,
  );
}

/** Redacts real text: our own sources, without the made-up secrets of the tests. */
async function ownSource(): Promise<Measured> {
  const lines: string[] = [];
  for (const folder of ["src", "docs", "bench"]) {
    const entries = await readdir(new URL(`../${folder}`, import.meta.url), {
      recursive: true,
      withFileTypes: true,
    });
    for (const { name, parentPath } of entries)
      if (/\.(?:tsx?|md|css|json)$/.test(name) && !/test/.test(join(parentPath, name)))
        lines.push(...(await readFile(join(parentPath, name), "utf8")).split("\n"));
  }
  return { tried: lines.length, wrong: lines.filter((text) => redactSecrets(text) !== text) };
}

function line(name: string, result: Measured, found: boolean, figure: string): void {
  const percent = (100 * (found ? 1 - share(result) : share(result))).toFixed(2);
  console.log(`${name.padEnd(26)}${percent.padStart(6)} %  of ${result.tried} (${figure})`);
}

function costOf(text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3; attempt++) {
    const began = process.cpuUsage();
    redact(text);
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
