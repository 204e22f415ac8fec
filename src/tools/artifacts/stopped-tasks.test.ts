import { expect, test } from "vitest";
import { createStoppedTasks } from "./stopped-tasks.ts";

test("a task that took too long is remembered for ten minutes, and only this one", () => {
  let now = 0;
  const stopped = createStoppedTasks(() => now);
  const task = { task: "process", input: { type: "html", code: "<p>" } };
  expect(stopped.has(task)).toBe(false);
  stopped.add(task);
  expect(stopped.has({ ...task })).toBe(true);
  expect(stopped.has({ ...task, input: { type: "html", code: "<b>" } })).toBe(false);
  now = 10 * 60_000;
  expect(stopped.has(task)).toBe(false);
});

test("only the newest 500 are remembered", () => {
  const stopped = createStoppedTasks();
  for (let code = 0; code < 501; code++) stopped.add({ code });
  expect(stopped.has({ code: 0 })).toBe(false);
  expect(stopped.has({ code: 1 })).toBe(true);
});
