import { expect, test } from "vitest";
import { createThrottle } from "./allowances.ts";

test("the throttle admits a number of requests per minute and says when the next fits", () => {
  let time = 1_000_000;
  const throttle = createThrottle({ perMinute: 2, now: () => time });
  expect(throttle.take().allowed).toBe(true);
  time += 10_000;
  expect(throttle.take().allowed).toBe(true);
  time += 10_000;
  expect(throttle.take()).toEqual({ allowed: false, retryAfter: 40 });
  time += 40_000;
  expect(throttle.take().allowed).toBe(true);
  expect(throttle.take()).toEqual({ allowed: false, retryAfter: 10 });
});

test("a refused request does not push the next one further away", () => {
  let time = 0;
  const throttle = createThrottle({ perMinute: 1, now: () => time });
  throttle.take();
  for (time = 1_000; time < 60_000; time += 1_000) expect(throttle.take().allowed).toBe(false);
  expect(throttle.take().allowed).toBe(true);
});

test("requests that other processes let through count, and leave with their minute", () => {
  let time = 0;
  const throttle = createThrottle({ perMinute: 3, now: () => time });
  throttle.count(2);
  expect(throttle.take().allowed).toBe(true);
  expect(throttle.take()).toEqual({ allowed: false, retryAfter: 60 });
  time = 60_000;
  throttle.count(1_000);
  expect(throttle.take().allowed).toBe(false);
  time = 120_000;
  expect(throttle.take().allowed).toBe(true);
});
