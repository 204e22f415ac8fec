import { expect, test } from "vitest";
import { readArguments } from "./call-arguments.ts";

test("arguments are read with a fence around them, trailing commas and raw line ends", () => {
  for (const text of ['```json\n{"a":1}\n```', '```\n\n{"a":1,}```', '{"a":1,}'])
    expect(readArguments(text)).toEqual({ ok: true, value: { a: 1 }, repaired: true });
  expect(readArguments('```json\n{"a":1}')).toEqual({ ok: false });
});

test.each(["\n", " \n", "\n```"])("a model that repeats %j until it is stopped holds nobody up", (piece) => {
  const before = process.threadCpuUsage();
  expect(readArguments(`\`\`\`json${piece.repeat(100_000)}x\`\`\``)).toEqual({ ok: false });
  expect(readArguments(`\`\`\`json${piece.repeat(100_000)}x`)).toEqual({ ok: false });
  const { user, system } = process.threadCpuUsage(before);
  // Trying each line end again takes seconds.
  expect((user + system) / 1000).toBeLessThan(1_000);
});
