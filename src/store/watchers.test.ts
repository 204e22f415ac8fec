import { expect, test } from "vitest";
import { createWatchers } from "./watchers.ts";

test("a watcher of everything is woken by events and control signals, a watcher of control only by control signals", () => {
  const { watch, wake } = createWatchers();
  const woken: string[] = [];
  watch("a", (signal) => woken.push(`all ${signal}`));
  watch("a", (signal) => woken.push(`control ${signal}`), "control");
  expect(wake("a", "events")).toBe(true);
  expect(wake("a", "control")).toBe(true);
  expect(wake("b", "control")).toBe(false);
  expect(woken).toEqual(["all events", "all control", "control control"]);
});

test("no callback is woken after it stopped, and the same callback can watch twice", () => {
  const { watch, wake } = createWatchers();
  let count = 0;
  const callback = () => count++;
  const stops = [watch("a", callback), watch("a", callback)];
  wake("a", "events");
  expect(count).toBe(2);
  stops[0]?.();
  wake("a", "events");
  expect(count).toBe(3);
  stops[1]?.();
  expect(wake("a", "events")).toBe(false);
});

test("events wake no watcher that waits only for control signals", () => {
  const { watch, wake } = createWatchers();
  watch("a", () => {}, "control");
  expect(wake("a", "events")).toBe(false);
  expect(wake("a", "control")).toBe(true);
});

test("all watchers can be woken at once, except those of one run", () => {
  const { watch, wakeAll } = createWatchers();
  const woken: string[] = [];
  for (const run of ["a", "b"]) watch(run, () => woken.push(run));
  watch("c", () => woken.push("c"), "control");
  wakeAll("control", "b");
  expect(woken).toEqual(["a", "c"]);
});
