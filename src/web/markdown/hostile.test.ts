import { describe, expect, it } from "vitest";
import { HOSTILE_MARKDOWN } from "../../protocol/testing/hostile-markdown.ts";
import { renderMarkdown } from "../../terminal/markdown.ts";
import { BlockSplitter } from "./blocks.ts";

/** Generous, because the machine may be busy: without bounds these take seconds. */
const MOST_MS = 400;
const STEP = 40_000;

function cpuOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

describe.each(Object.entries(HOSTILE_MARKDOWN))("hostile Markdown: %s", (_, text) => {
  it("never takes long to parse, step by step, and loses nothing", () => {
    const splitter = new BlockSplitter();
    let longest = 0;
    let blocks: ReturnType<BlockSplitter["update"]> = [];
    for (let end = STEP; end < text.length + STEP; end += STEP)
      longest = Math.max(
        longest,
        cpuOf(() => {
          blocks = splitter.update(text.slice(0, end), end >= text.length);
        }),
      );
    expect(longest).toBeLessThan(MOST_MS);
    const shown = blocks.reduce((sum, { source }) => sum + source.trim().length, 0);
    expect(shown).toBeGreaterThan(text.startsWith("[a]:") ? -1 : text.replace(/\s/g, "").length * 0.6);
  });

  it("never takes long in a terminal", () => {
    const lines: string[] = [];
    const cpu = cpuOf(() => lines.push(...renderMarkdown(text.slice(0, 6_000), 80, (_, words) => words)));
    expect(cpu).toBeLessThan(MOST_MS);
  });
});
