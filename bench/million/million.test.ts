import { expect, it } from "vitest";
import { fitCost, predictAmount, type Work } from "./fit.ts";
import { readInputs } from "./inputs.ts";
import { limitsOf, predict } from "./predict.ts";

const cost = { perProcessSecond: 0.05, perTurn: 0.002, perToken: 0.00004 };
const loads: Work[] = [
  { processSeconds: 6, turns: 30, tokens: 9_000 },
  { processSeconds: 6, turns: 120, tokens: 36_000 },
  { processSeconds: 5, turns: 720, tokens: 14_400 },
];
const costs = {
  server: cost,
  database: { perProcessSecond: 0.01, perTurn: 0.001, perToken: 0.00001 },
  log: { perProcessSecond: 1_000, perTurn: 8_000, perToken: 200 },
  stored: { perProcessSecond: 0, perTurn: 3_000, perToken: 8 },
};

it("finds the costs that measurements were made of, and predicts other loads with them", () => {
  const found = fitCost(loads.map((work) => ({ work, amount: predictAmount(cost, work) })));
  expect(found.perProcessSecond).toBeCloseTo(cost.perProcessSecond, 6);
  expect(found.perTurn).toBeCloseTo(cost.perTurn, 6);
  expect(found.perToken).toBeCloseTo(cost.perToken, 8);
  const other = { processSeconds: 24, turns: 480, tokens: 48_000 };
  expect(predictAmount(found, other)).toBeCloseTo(predictAmount(cost, other), 6);
});

it("never makes a part of a cost negative, whatever the noise", () => {
  const noisy = loads.map((work, at) => ({
    work,
    amount: predictAmount(cost, work) * (at === 1 ? 0.5 : 1.4),
  }));
  expect(Object.values(fitCost(noisy)).every((value) => value >= 0)).toBe(true);
});

it("reads inputs by name and refuses others", () => {
  expect(readInputs(["--people=50000", "--activeShare=0.5"])).toMatchObject({
    people: 50_000,
    activeShare: 0.5,
  });
  expect(() => readInputs(["--persons=1"])).toThrow("there is no input persons");
  expect(() => readInputs(["--people=many"])).toThrow("people must be a number above 0");
});

it("predicts twice the work for twice the people, and never less than two instances", () => {
  const one = predict(readInputs([]), costs);
  const two = predict(readInputs(["--people=2000000"]), costs);
  expect(two.tokensPerSecond).toBeCloseTo(2 * one.tokensPerSecond);
  expect(two.databaseBytes).toBeCloseTo(2 * one.databaseBytes);
  expect(two.monthUsd.models).toBeCloseTo(2 * one.monthUsd.models);
  expect(two.processes / one.processes).toBeGreaterThan(1.8);
  expect(predict(readInputs(["--people=10"]), costs).instances).toBe(2);
});

it("says what breaks first: a small disk before anything else, and slow replicas before a large one", () => {
  const first = (args: string[]) => limitsOf(readInputs(args), costs)[0]?.what;
  expect(first(["--databaseTerabytes=0.1"])).toMatch(/^size of the database/);
  expect(first(["--logMegabytesPerSecond=0.5"])).toMatch(/^write-ahead log/);
});
