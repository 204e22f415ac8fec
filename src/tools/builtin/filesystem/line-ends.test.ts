import { expect, test } from "vitest";
import { LineEnds } from "./line-ends.ts";

test("lines before a replacement keep their ends, however many there are", () => {
  const before = "a\r\nb\n".repeat(100_000);
  const lines = LineEnds.of(`${before}last\r\n`);
  const start = lines.text.length - "last\n".length;
  const replaced = lines.replaced([{ start, end: start + 4, text: "new" }]);
  expect(replaced.original === `${before}new\r\n`).toBe(true);
});
