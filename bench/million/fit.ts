/** What was done while something was measured. */
export interface Work {
  turns: number;
  tokens: number;
}

/** What something costs: for each turn, and for each token of its answer. */
export interface Cost {
  perTurn: number;
  perToken: number;
}

/** Returns the cost that explains the measured amounts best, by least squares of relative errors. No part of it is negative. */
export function fitCost(measured: readonly { work: Work; amount: number }[]): Cost {
  const rows = measured.map(({ work, amount }) => ({
    turns: work.turns / amount,
    tokens: work.tokens / amount,
  }));
  const sum = (part: (row: Work) => number) => rows.reduce((total, row) => total + part(row), 0);
  const [aa, ab, bb] = [sum((r) => r.turns ** 2), sum((r) => r.turns * r.tokens), sum((r) => r.tokens ** 2)];
  const [a, b] = [sum((r) => r.turns), sum((r) => r.tokens)];
  const determinant = aa * bb - ab * ab;
  if (determinant <= 1e-12 * aa * bb) throw new Error("answers of at least two lengths are needed");
  const cost = { perTurn: (a * bb - b * ab) / determinant, perToken: (b * aa - a * ab) / determinant };
  if (cost.perTurn < 0) return { perTurn: 0, perToken: b / bb };
  if (cost.perToken < 0) return { perTurn: a / aa, perToken: 0 };
  return cost;
}

/** Returns what work of this kind takes. */
export function predictAmount({ perTurn, perToken }: Cost, { turns, tokens }: Work): number {
  return perTurn * turns + perToken * tokens;
}
