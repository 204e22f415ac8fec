/** The outcome of all rounds with one fault on one engine. */
export interface FaultRow {
  engine: string;
  phase: string;
  kills: number;
  runs: number;
  lost: string[];
  doubled: string[];
  longestMs: number;
}

/** Prints the outcomes. Returns true if nothing was lost or doubled. */
export function report(rows: FaultRow[]): boolean {
  rows.sort((a, b) => a.engine.localeCompare(b.engine));
  console.table(
    rows.map(({ engine, phase, kills, runs, lost, doubled, longestMs }) => ({
      engine,
      phase,
      rounds: kills,
      runs,
      lost: lost.length,
      doubled: doubled.length,
      "longest recovery (ms)": Math.round(longestMs),
    })),
  );
  const sum = (count: (row: FaultRow) => number) => rows.reduce((total, row) => total + count(row), 0);
  const lost = sum((row) => row.lost.length);
  const doubled = sum((row) => row.doubled.length);
  console.log(
    `${sum((row) => row.kills)} rounds, ${sum((row) => row.runs)} runs: ${lost} lost, ${doubled} doubled`,
  );
  return lost + doubled === 0;
}
