import { expect, test } from "vitest";
import { tailwindFor } from "./tailwind.ts";

test("a style sheet has the classes of its own artifact and none of earlier artifacts", async () => {
  const secret = await tailwindFor(`<p className="before:content-['of_another_person'] p-4" />`);
  expect(secret).toContain("of another person");
  const next = await tailwindFor('<p className="mt-8 dark:bg-slate-900 hover:underline" />');
  expect(next).not.toContain("of another person");
  expect(next).not.toContain(".p-4");
  for (const name of [".mt-8", "dark\\:bg-slate-900", "hover\\:underline"]) expect(next).toContain(name);
});

test.each(["a", "a-[", "-[a"])(
  "a text that repeats %s keeps others waiting for a moment at most",
  async (piece) => {
    const before = process.threadCpuUsage();
    await tailwindFor(`<p class=x>${piece.repeat(380_000 / piece.length)}`);
    const { user, system } = process.threadCpuUsage(before);
    // Beginning again at each letter takes two minutes.
    expect((user + system) / 1000).toBeLessThan(5_000);
  },
);
