/** What was done while something was measured. */
export interface Work {
  /** How long processes were streaming, added up. */
  processSeconds: number;
  turns: number;
  tokens: number;
}

/** What something costs: each second in which a process streams, however much, each turn, and each token. */
export interface Cost {
  perProcessSecond: number;
  perTurn: number;
  perToken: number;
}

/** Returns the cost that explains the measured amounts best, by least squares of relative errors. No part of it is negative. */
export function fitCost(measured: readonly { work: Work; amount: number }[]): Cost {
  let best: { cost: Cost; error: number } | undefined;
  // A part that would be negative is left out. There are few enough combinations to try all of them.
  for (let mask = 1; mask < 8; mask++) {
    const parts = [0, 1, 2].filter((part) => mask & (1 << part));
    const solved = solve(measured, parts);
    if (!solved || solved.some((value) => value < 0)) continue;
    const [perProcessSecond = 0, perTurn = 0, perToken = 0] = [0, 1, 2].map(
      (part) => solved[parts.indexOf(part)] ?? 0,
    );
    const cost = { perProcessSecond, perTurn, perToken };
    const error = measured.reduce(
      (sum, { work, amount }) => sum + (predictAmount(cost, work) / amount - 1) ** 2,
      0,
    );
    if (!best || error < best.error) best = { cost, error };
  }
  if (!best) throw new Error("no cost explains what was measured");
  return best.cost;
}

/** Returns what work of this kind takes. */
export function predictAmount(cost: Cost, work: Work): number {
  return (
    cost.perProcessSecond * work.processSeconds + cost.perTurn * work.turns + cost.perToken * work.tokens
  );
}

/** Solves the normal equations for some parts of a cost. */
function solve(measured: readonly { work: Work; amount: number }[], parts: number[]): number[] | undefined {
  const rows = measured.map(({ work, amount }) => {
    const all = [work.processSeconds, work.turns, work.tokens];
    return parts.map((part) => (all[part] ?? 0) / amount);
  });
  const sum = (value: (row: number[]) => number) => rows.reduce((total, row) => total + value(row), 0);
  return eliminate(
    parts.map((_, i) => [
      ...parts.map((_, j) => sum((row) => (row[i] ?? 0) * (row[j] ?? 0))),
      sum((row) => row[i] ?? 0),
    ]),
  );
}

/** Gaussian elimination. Undefined if the equations do not determine the answer. */
function eliminate(matrix: number[][]): number[] | undefined {
  const at = (row: number, column: number) => matrix[row]?.[column] ?? 0;
  for (let pivot = 0; pivot < matrix.length; pivot++) {
    const before = Math.abs(at(pivot, pivot));
    if (before === 0) return undefined;
    for (let row = 0; row < matrix.length; row++) {
      if (row === pivot) continue;
      const factor = at(row, pivot) / at(pivot, pivot);
      const left = Math.abs(at(row, row));
      matrix[row] = (matrix[row] ?? []).map((value, column) => value - factor * at(pivot, column));
      // What is left is only rounding: two parts always grew together.
      if (row > pivot && Math.abs(at(row, row)) < 1e-9 * left) return undefined;
    }
  }
  return matrix.map((_, row) => at(row, matrix.length) / at(row, row));
}
