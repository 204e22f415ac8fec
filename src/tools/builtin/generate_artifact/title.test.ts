import { expect, test } from "vitest";
import { titleFor } from "./title.ts";

test("an artifact is called what it calls itself, or else what was asked for", () => {
  expect(titleFor("html", "a page", '<TITLE lang="en">Tides</title>')).toBe("Tides");
  expect(titleFor("svg", undefined, "<svg><title>A boat</title></svg>")).toBe("A boat");
  expect(titleFor("html", "a page\nwith waves", "<titles>Tides</titles>")).toBe("a page");
  expect(titleFor("html", undefined, "<p>")).toBe("Page");
});

test.each([
  ["html", "<title"],
  ["svg", "<title "],
  ["html", "<title>"],
  ["markdown", "# "],
  ["markdown", "#\n"],
  ["react", "export default "],
] as const)("code of type %s that repeats %j holds nobody up", (type, piece) => {
  const code = piece.repeat(390_000 / piece.length);
  const before = process.threadCpuUsage();
  titleFor(type, undefined, code);
  const { user, system } = process.threadCpuUsage(before);
  // Generous, because the machine may be busy: reading on from each piece to the end takes half a minute.
  expect((user + system) / 1000).toBeLessThan(400);
});
