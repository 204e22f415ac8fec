// What `npm run mutants` prints at its end.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { placeOf } from "./places.mjs";

const COLUMNS = [
  "score",
  "if time-outs don't count",
  "killed",
  "by a time-out",
  "survived",
  "without a test",
  "not run",
];

/** Prints the survivors, what was killed only by a time-out, and the score of each place. Returns the score of all. */
export function printReport(results, { places, sample, copy }) {
  const fileOf = ({ key }) => key.slice(0, key.indexOf(":"));
  const list = (title, mutants) => {
    if (mutants.length === 0) return;
    console.log(`\n${title}:`);
    const sorted = mutants.toSorted(
      (left, right) =>
        fileOf(left).localeCompare(fileOf(right)) || left.location.start.line - right.location.start.line,
    );
    for (const mutant of sorted) console.log(`  ${describe(mutant, fileOf(mutant), copy)}`);
  };
  list("Survived", results.filter(isAlive));
  list("Killed by a time-out alone", results.filter(isLate));
  console.log(`\n${"place".padEnd(8)}  ${COLUMNS.join("  ")}`);
  const print = (name, isHere) => {
    const tested = results.filter((mutant) => isHere(fileOf(mutant)));
    const sampled = sample.filter((key) => isHere(fileOf({ key }))).length;
    return printScore(name, tested, sampled);
  };
  const scores = places.map((place) => print(place, (file) => placeOf(file) === place));
  const score = places.length > 1 ? print("all", () => true) : scores[0];
  console.log(`
Mutants outside of functions, such as those of patterns and tables, are never run: they are in no score. Change
such a pattern by hand, and run the tests beside it.`);
  return score;
}

function printScore(name, results, sampled) {
  const alive = results.filter(isAlive).length;
  const killed = results.filter(({ status }) => status === "Killed" || status === "Timeout").length;
  const late = results.filter(isLate).length;
  const untested = results.filter(({ status }) => status === "NoCoverage").length;
  const percent = (part) => (100 * part) / Math.max(1, killed + alive);
  const cells = [
    `${percent(killed).toFixed(1)} %`,
    `${percent(killed - late).toFixed(1)} %`,
    killed,
    late,
    alive,
    untested,
    sampled - killed - alive,
  ].map((cell, at) => String(cell).padStart(COLUMNS[at].length));
  console.log(`${name.padEnd(8)}  ${cells.join("  ")}`);
  return percent(killed);
}

function isAlive({ status }) {
  return status === "Survived" || status === "NoCoverage";
}

/** Returns true for a mutant that made a test hang, which either Stryker or Vitest has ended. */
function isLate({ status, statusReason }) {
  return status === "Timeout" || (status === "Killed" && /^(Test|Hook) timed out/.test(statusReason ?? ""));
}

function describe({ location, mutatorName, replacement, status }, file, copy) {
  const { start, end } = location;
  const lines = readFileSync(join(copy, file), "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  const first = lines[0]?.slice(start.column - 1, lines.length > 1 ? undefined : end.column - 1) ?? "";
  const shorten = (text) => text.replace(/\s+/g, " ").slice(0, 80);
  const note = status === "NoCoverage" ? ", no test runs it" : "";
  return `${file}:${start.line}:${start.column} ${mutatorName}${note}: ${shorten(first)} → ${shorten(replacement ?? "")}`;
}
