import { expect, test } from "vitest";
import { wholeOutput } from "./output-lines.ts";

const page = { columns: 80, paint: (_: unknown, text: string) => text };

test("of a line that was drawn over again and again, the last remains", () => {
  expect(wholeOutput("10 %\r50 %\r100 %\r\ndone\r\nend\r", page).map((line) => line.trim())).toEqual([
    "100 %",
    "done",
    "end",
  ]);
});

test("a line of a megabyte does not stop the terminal", () => {
  const before = process.threadCpuUsage();
  wholeOutput(`${"a".repeat(300_000)}\n\r${"b".repeat(300_000)}`, page);
  const { user, system } = process.threadCpuUsage(before);
  // Trying each character again takes a minute.
  expect((user + system) / 1000).toBeLessThan(3_000);
});
