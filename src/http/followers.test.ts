import { expect, it } from "vitest";
import { createFollowers } from "./followers.ts";

it("lets a person follow a run from many places, and not from any number", () => {
  const { enter } = createFollowers();
  const leave = Array.from({ length: 20 }, () => enter("run_1", "ada"));
  expect(() => enter("run_1", "ada")).toThrow(expect.objectContaining({ code: "RATE_LIMITED" }));
  leave[0]?.();
  enter("run_1", "ada");
  enter("run_2", "ada");
});

it("lets nobody add up many followers of many runs, but everybody follow each of their runs", () => {
  const { enter } = createFollowers();
  for (let run = 0; run < 1_000; run++) for (let tab = 0; tab < 2; tab++) enter(`run_${run}`, "192.0.2.1");
  const leave = Array.from({ length: 100 }, (_, at) => enter(`run_${at}`, "192.0.2.1"));
  expect(() => enter("run_100", "192.0.2.1")).toThrow(expect.objectContaining({ code: "RATE_LIMITED" }));
  enter("run_101", "192.0.2.2");
  for (const one of leave) one();
  enter("run_100", "192.0.2.1");
});

it("lets guests at one address open a bounded number of feeds", () => {
  const { enterFeed } = createFollowers();
  const leave = Array.from({ length: 200 }, () => enterFeed("192.0.2.1"));
  expect(() => enterFeed("192.0.2.1")).toThrow(expect.objectContaining({ code: "RATE_LIMITED" }));
  enterFeed("192.0.2.2");
  leave[0]?.();
  enterFeed("192.0.2.1");
});
