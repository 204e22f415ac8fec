import { expect, test } from "vitest";
import { describeDiagram } from "./describe-diagram.ts";

test("a diagram is described by its labels, in order", () => {
  expect(describeDiagram('graph TD\nA[Start] --> B{Again?}\nB --> C("The end")\nA --> A')).toBe(
    "Start, Again?, The end",
  );
  expect(describeDiagram("graph TD\nA --> B")).toBe("graph TD\nA --> B");
});

test.each(["[", "{", "(", '"', ":"])("a row of %s does not block the page", (sign) => {
  const before = process.threadCpuUsage();
  describeDiagram(`graph TD\n${sign.repeat(100_000)}`);
  const { user, system } = process.threadCpuUsage(before);
  // Reading on from each of them to the end takes seconds.
  expect((user + system) / 1000).toBeLessThan(400);
});
