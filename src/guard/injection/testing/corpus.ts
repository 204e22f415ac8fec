import { existsSync, readFileSync } from "node:fs";

const FOLDER = new URL("../../../../../shared/corpus/attacks/", import.meta.url);

/** The public attack data beside the project; undefined, with a line about it, where it is not there. */
export function attackFile(name: string): string | undefined {
  const file = new URL(name, FOLDER);
  if (existsSync(file)) return readFileSync(file, "utf8");
  if (process.env.CI) throw new Error(`${name} is missing in ../shared/corpus/attacks.`);
  console.log(`Skipped: ../shared/corpus/attacks/${name} is not there.`);
  return undefined;
}

/** The rows of a CSV text, the first (names) left out. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    if (row.length > 1) rows.push(row);
    row = [];
  }
  return rows.slice(1);
}

/** Texts of the deepset data: injections or not. */
export function deepset(text: string): { attacks: string[]; benign: string[] } {
  const rows = csvRows(text);
  const withLabel = (label: string) => rows.filter((row) => row[3] === label).map((row) => row[2] ?? "");
  return { attacks: withLabel("1"), benign: withLabel("0") };
}
