import { expect, it } from "vitest";
import { inSlices, pauseIfLong, type Steps } from "./slices.ts";

/** Work that takes a millisecond of the clock a step. */
function* work(steps: number): Steps<number> {
  for (let step = 0; step < steps; step++) {
    const ends = performance.now() + 1;
    while (performance.now() < ends);
    yield;
  }
  return steps;
}

/** Returns how many turns of the event loop passed during the work. */
async function turnsDuring(during: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let running = true;
  const count = () => {
    turns++;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  await during();
  running = false;
  return turns;
}

it("lets others have their turn while long work goes on", async () => {
  expect(await turnsDuring(() => inSlices(work(60)))).toBeGreaterThan(5);
});

it("lets others have their turn between many short pieces of work, none of which is long", async () => {
  const turns = await turnsDuring(async () => {
    for (let piece = 0; piece < 40; piece++) expect(await inSlices(work(2))).toBe(2);
  });
  expect(turns).toBeGreaterThan(5);
});

it("does short work at once", async () => {
  await new Promise(setImmediate);
  expect(pauseIfLong()).toBeUndefined();
  expect(await inSlices(work(1))).toBe(1);
});
