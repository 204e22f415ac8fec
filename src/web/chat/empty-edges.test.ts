import { expect, test } from "vitest";
import { withoutEmptyEdges } from "./empty-edges.ts";

test("empty lines around what a person wrote are not shown, and a million of them in the middle don't block the page", () => {
  expect(withoutEmptyEdges("\n\na\n\nb\n\n")).toBe("a\n\nb");
  const middle = `a${"\n".repeat(1_000_000)}b`;
  const before = process.threadCpuUsage();
  expect(withoutEmptyEdges(`\n${middle}\n`)).toBe(middle);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(400);
});
